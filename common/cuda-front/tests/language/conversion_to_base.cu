// EXPECT: 11 103 11 103 21 203 11 21 203 21 21 11 11 11 11
// A conversion function to a base is never used: the part of the object is.
struct C0 { int m; __device__ C0() { m = 1; } __device__ C0(const C0 &o) : m(o.m + 10) {} };
struct C3 : C0 { int z = 3; __device__ C3() {} __device__ C3(const C3 &o) : C0(o), z(o.z + 100) {} __device__ operator C0() const { return C0{}; } };
struct N3 : C0 { int z = 3; __device__ N3() {} __device__ N3(const N3 &o) : C0(o), z(o.z + 100) {} };
template<class T> struct T0 { T v; int w = 3; __device__ T0(T x = T()) : v(x) {} };
struct A0 { C3 v; };
__global__ void k(int *out) { int n = 0; C3 c; C3 d = c; out[n++] = d.m; out[n++] = d.z; T0<C3> t{}; out[n++] = t.v.m; out[n++] = t.v.z; const T0<C3> u = t; out[n++] = u.v.m; out[n++] = u.v.z; T0<N3> t2{}; out[n++] = t2.v.m; const T0<N3> u2 = t2; out[n++] = u2.v.m; out[n++] = u2.v.z; T0<C3> w(c); out[n++] = w.v.m; T0<C3> y = c; out[n++] = y.v.m; A0 a; A0 b = a; out[n++] = b.v.m; A0 e{c}; out[n++] = e.v.m; C0 f = c; out[n++] = f.m; C0 g(c); out[n++] = g.m; }
