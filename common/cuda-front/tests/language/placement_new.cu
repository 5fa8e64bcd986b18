// EXPECT: 3 2 9 7 9 5 5 5 1 11 7 8 42 3 42
// Objects made where a pointer points to.
#ifndef __CUDACC__
#include <new>
#endif
struct P { int a, b; __device__ P(int x, int y = 2) : a(x), b(y) {} __device__ P() : a(7), b(8) {} };
struct Q { int a; float b; };
struct N { int *log; __device__ N(int *l) : log(l) { *log += 1; } __device__ N(const N &) = delete; __device__ ~N() { *log += 10; } };
template<class T> struct Slot { alignas(T) unsigned char bytes[sizeof(T)]; template<class... A> __device__ T *make(A... a) { return new (bytes) T(a...); } __device__ T *get() { return (T *)bytes; } };
__global__ void k(int *out) {
  int n = 0; int log = 0;
  P p(0, 0); new (&p) P(3); out[n++] = p.a; out[n++] = p.b; P *q = new (&p) P(4, 5); out[n++] = q->a + q->b; new (&p) P; out[n++] = p.a; new (&p) P{1, 9}; out[n++] = p.b;
  Slot<Q> s; Q *r = new (s.bytes) Q{5, 2.5f}; out[n++] = r->a; out[n++] = (int)(r->b * 2); out[n++] = s.get()->a;
  Slot<N> sn; N *m = sn.make(&log); out[n++] = log; m->~N(); out[n++] = log;
  Slot<P> sp; sp.make(6, 7); out[n++] = sp.get()->b; sp.make(); out[n++] = sp.get()->b;
  int storage; int *ip = ::new ((void *)&storage) int(42); out[n++] = *ip; float f; new (&f) float{1.5f}; out[n++] = (int)(f * 2); int **pp; new (&pp) int **(&ip); out[n++] = **pp;
}
