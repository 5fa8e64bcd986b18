// EXPECT: 2 6 3 8 4 9 9 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
class A { int s; static constexpr int K = 3; using T = int; protected: int p; __device__ int pf() { return p; } public: __device__ A(int s, int p) : s(s), p(p) {} __device__ int get() const { return s; } friend __device__ int peek(const A &a); friend struct F; template <class U> friend struct G; struct In { __device__ int f(A &a) { return a.s; } }; };
__device__ int peek(const A &a) { return a.s * 2; }
struct F { __device__ int f(A &a) { return a.s + a.p + A::K; } };
template <class U> struct G { __device__ int f(A &a) { U u = a.s; return u * 3; } };
struct D : A { using A::A; __device__ int f() { return p + pf(); } __device__ auto lam() { return [this] { return p; }; } };
struct E : private A { __device__ E() : A(4, 5) {} using A::get; __device__ int q() { return p; } };
class P { int v; __device__ P(int v) : v(v) {} public: static __device__ P make(int v) { return P(v); } __device__ int get() { return v; } __device__ bool same(const P &o) const { return o.v == v; } };
__global__ void k(int *out) { A a(1, 2); out[0] = peek(a); F f; out[1] = f.f(a); G<int> g; out[2] = g.f(a); D d(3, 4); out[3] = d.f(); out[4] = d.lam()(); E e; out[5] = e.get() + e.q(); P p = P::make(9); out[6] = p.get(); out[7] = p.same(P::make(9)); A::In in; out[8] = in.f(a); }
