// Lambdas over packs, of their own and of the template around them.
// NVRTC: options -default-device
template <class... A> __device__ int count(A &&...a) { return sizeof...(a); }
template <class F, class... A> __device__ void each(F f, A... a) { (f(a), ...); }

template <class... A> __global__ void outer(float *out, A... a) {
    auto sum = [](auto... x) { return (x + ... + 0); };
    auto forwarded = [](auto &&first, auto &&...rest) { return first(rest...) + count(rest...); };
    auto captured = [=](int b) { return (a + ... + b); };
    auto referred = [&a...] { return (a * ...); };
    out[0] = sum(1, 2, 3) + sum();
    out[1] = forwarded(sum, 4, 5);
    out[2] = captured(1) + referred();
    each([&](auto v) { out[3] += v; }, 1, 2.5f);
}
template __global__ void outer<int, float>(float *, int, float);
