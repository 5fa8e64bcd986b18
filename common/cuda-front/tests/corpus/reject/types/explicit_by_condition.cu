// `explicit` where its condition holds.
struct T { int v; template <class A> __device__ explicit(sizeof(A) > 4) T(A v) : v(v) {} };
__global__ void k(int *o) {
    T a = 1, b{2.0};
    T c = 2.0; // ERROR
    o[0] = a.v + b.v + c.v;
}
// NVRTC: options --std=c++20
