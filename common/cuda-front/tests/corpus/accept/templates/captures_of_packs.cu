// Lambdas that capture packs of parameters, in functions and in instances of kernels that are asked for.
template <class... A> __device__ int sum(A... a) {
    auto f = [a...](int m) { return ((a * m) + ... + 0); };
    auto g = [&a...] { return (a + ... + 0) + (int)sizeof...(a); };
    auto h = [=] { return [&] { return (a + ... + 0); }(); };
    return f(2) + g() + h();
}
template <class T, class... A> __global__ void k(int *out, T t, A... a) {
    auto f = [&, a...] { return (a + ... + (int)t); };
    out[0] = f() + sum(a...);
}
template __global__ void k(int *, int, float, int);
template __global__ void k<int>(int *, int);
template __global__ void k<float, int>(int *, float, int);
