// EXPECT: 11 11 1 2 2 2 2 1 11 4 4 4 1 1 3 9 3 3 3
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
namespace direct {
struct A { float v; __device__ A(float x) : v(x) {} template <class T> __device__ A(const T &t) : v(t.w) {} A() = default; };
struct C { float w; template <class T> __device__ operator T() const { return T(w + 10); } };
struct I { int w; __device__ I(int a) : w(a) {} __device__ operator int() const { return w; } };
struct D { int w; __device__ explicit D(const I &i) : w(i.w + 1) {} __device__ D(int i) : w(i + 2) {} };
struct J { int v; template <class T> __device__ explicit J(T t) : v(t.w) {} };
struct K { int w; __device__ operator J() const { return J(*this); } };
struct M { int w; __device__ operator float() const { return w; } };
template <class T> struct H { T v; H() = default; __device__ H(T t) : v(t) {} template <class U> __device__ H(const H<U> &o) : v(o.v + 1) {} template <class U> __device__ H &operator=(const H<U> &o) { v = o.v + 7; return *this; } template <class U> __device__ operator H<U>() const { H<U> r; r.v = v + 100; return r; } };
__device__ float fa(A a) { return a.v; }
__device__ int fh(const H<int> &h) { return h.v; }
__device__ void k(int *o) { C c{1}; A a(c); o[0] = a.v; float f = c; o[1] = f; I i(3); D d(i); o[2] = d.w; K q{4}; J j(q); o[3] = j.v; J j2 = q; o[4] = j2.v; o[5] = A(c).v; o[6] = fa(c); H<float> h(2); H<int> g(h); o[7] = g.v; g = h; o[8] = g.v; o[9] = fh(h); o[10] = H<int>(h).v; H<int> l{h}; o[11] = l.v; }
}
__global__ void k(int *out) {
    both::k(out + 0);
    copied::k(out + 5);
    copied_again::k(out + 6);
    direct::k(out + 7);
}
