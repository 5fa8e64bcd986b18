// EXPECT: 11 11 1 2 2 2 2
namespace both {
struct B { int v; };
struct A { int v; template <class T> __device__ A(T t) : v(t.v) {} A() = default; };
struct C { int v; template <class T> __device__ operator T() const { T t; t.v = v + 10; return t; } };
template <class T> struct H { T v; H() = default; template <class U> __device__ H(const H<U> &o) : v(o.v + 1) {} template <class U> __device__ operator H<U>() const { H<U> r; r.v = v + 100; return r; } };
__device__ int ta(A a) { return a.v; }
__device__ int th(H<int> a) { return a.v; }
__device__ void k(int *o) { C c{1}; B b = c; o[0] = b.v; A a(b); o[1] = a.v; A d(c); o[2] = d.v; H<float> h; h.v = 1; H<int> i(h); o[3] = i.v; H<int> j = static_cast<H<int>>(h); o[4] = j.v; }
}
namespace copied {
struct A { int v; template <class T> __device__ A(T t) : v(t.v) {} A() = default; };
struct C { int v; template <class T> __device__ operator T() const { T t; t.v = v + 10; return t; } };
template <class T> struct H { T v; H() = default; template <class U> __device__ H(const H<U> &o) : v(o.v + 1) {} template <class U> __device__ operator H<U>() const { H<U> r; r.v = v + 100; return r; } };
__device__ int th(H<int> a) { return a.v; }
__device__ void k(int *o) { H<float> h; h.v = 1; o[0] = th(h); }
}
namespace copied_again {
template <class T> struct H { T v; H() = default; template <class U> __device__ H(const H<U> &o) : v(o.v + 1) {} template <class U> __device__ operator H<U>() const { H<U> r; r.v = v + 100; return r; } };
__device__ void k(int *o) { H<float> h; h.v = 1; H<int> j = h; o[0] = j.v; }
}
__global__ void k(int *out) {
    both::k(out + 0);
    copied::k(out + 5);
    copied_again::k(out + 6);
}
