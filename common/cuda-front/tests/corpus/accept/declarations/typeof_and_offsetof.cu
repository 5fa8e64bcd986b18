// GCC's typeof, never a reference, and offsetof as a constant.
// NVRTC: line 15 (it has GCC's typeof only in nvcc)
#include <stddef.h>
struct S {
    int a;
    double b;
    struct {
        char c[4];
        float d;
    } in;
};
template <class T> __device__ unsigned long offset() { return offsetof(T, in.d); }

__global__ void k(float *out, const int n) {
    __typeof__(out[0]) x = 1;
    typeof(x) y = 2;
    __typeof__(float *) p = out;
    __typeof(n) c = 3;
    static_assert(offsetof(S, b) == 8 && __builtin_offsetof(S, in.c[2]) == 18, "");
    int sized[offsetof(S, in)] = {};
    p[0] = x + y + c + sized[3] + offset<S>();
}
