// EXPECT: 2 3 4 5 6 7 8 10 11 12 13 14 15
// Functions bound by reference, by pointer and by value.
__device__ int f(int x) { return x + 1; }
__device__ int ap(int (&g)(int), int x) { return g(x); }
template <class F> __device__ int ap2(F &g, int x) { return g(x); }
template <class F> __device__ int ap3(F &&g, int x) { return g(x); }
template <class F> __device__ int ap4(F *g, int x) { return g(x); }
using F = int(int);
__device__ int ap5(F g, int x) { return g(x); }
__device__ int ap6(F *g, int x) { return g(x); }
__device__ int ap7(F &g, int x) { return (*g)(x); }
template <class R, class A> __device__ int ap8(R (&g)(A), A x) { return g(x); }
template <class R, class A> __device__ int ap9(R g(A), A x) { return g(x); }
__global__ void k(int *out) { int n = 0; out[n++] = ap(f, 1); out[n++] = ap2(f, 2); out[n++] = ap3(f, 3);  out[n++] = ap4(f, 4); out[n++] = ap5(f, 5); out[n++] = ap6(f, 6); out[n++] = ap7(f, 7); 
 int (&r)(int) = f; out[n++] = r(9); auto &s = f; out[n++] = s(10); auto *t = f; out[n++] = t(11); F *u = &f; out[n++] = u(12); out[n++] = ap8(f, 13); out[n++] = ap9(f, 14); }
