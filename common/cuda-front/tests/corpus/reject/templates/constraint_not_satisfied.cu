template <class T> concept Small = sizeof(T) <= 4;
template <Small T> __device__ int f(T x) { return 1; }
template <class T> struct S { T x; __device__ int g() requires Small<T> { return 1; } };
__global__ void k(int *out) {
    S<double> s{1.0};
    out[0] = f(1.0); // ERROR
    out[1] = f(1);
}
// NVRTC: options --std=c++20
