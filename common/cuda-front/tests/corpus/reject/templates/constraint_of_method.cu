template <class T> struct S {
    T x;
    __device__ int g() requires (sizeof(T) == 4) { return 1; }
};
__global__ void k(int *out) {
    S<double> s{1.0};
    out[0] = s.g(); // ERROR
}
// NVRTC: options --std=c++20
