// EXPECT: 1 4 3 4 18 7 5 3 3 4 3 18 25 3 3 8 8 9 6 4 2 3 4 5 3 8 1 5 8 1 2 7 4 2
namespace types {
struct Y { enum En : char; enum class Ec; struct I; enum En f; __device__ I *get(); union Un; };
enum Y::En : char { a, b };
enum class Y::Ec { p = 3, q };
struct Y::I { int v; struct J; };
union Y::Un { int i; float f; };
struct Y::I::J { int w; };
namespace n { struct Z { struct I; enum E : int; class K; }; }
struct n::Z::I { int v = 4; };
enum n::Z::E : int { ea = 6 };
class n::Z::K { public: int x = 8; };
template <class T> struct W { struct I; enum E : int; T t; I *p; __device__ T go(); };
template <class T> struct W<T>::I { T v; };
template <class T> enum W<T>::E : int { wa = 5 };
template <class T> __device__ T W<T>::go() { I i; i.v = t + wa; return i.v; }
__device__ void k(int *o) { Y::I i{3}; Y::I::J j{4}; o[0] = Y::b; o[1] = int(Y::Ec::q); o[2] = i.v; o[3] = j.w; n::Z::I z; n::Z::K kk; o[4] = z.v + n::Z::ea + kk.x; W<float> w; w.t = 2; o[5] = w.go(); W<int>::I wi{5}; o[6] = wi.v; Y::Un u; u.i = 3; o[7] = u.i; }
}
namespace nested {
enum E : int; 
namespace q { struct O { enum class K; struct I; class J; static __device__ int st(I *); enum Un : unsigned; }; }
enum class q::O::K { a = 2, b };
namespace q { struct O::I { int i; enum Z : short; template <class T> struct T1; }; class O::J : public O::I { public: int j; __device__ int sum() { return i + j; } }; }
enum q::O::I::Z : short { z1 = 9 };
template <class T> struct q::O::I::T1 { T t; };
enum q::O::Un : unsigned { u1 = 1, u2 = 4 };
__device__ int q::O::st(I *p) { return p->i; }
enum E : int { e1 = 5 };
template <class T> struct G { struct N; enum class F; enum P : int; N *p; static __device__ int run(T t); __device__ int go(N n); };
template <class X> struct G<X>::N { X x; int y = 3; __device__ N(X a) : x(a) {} __device__ int both(); static constexpr int c = 12; };
template <class X> enum class G<X>::F { one = 1, two };
template <class T> enum G<T>::P : int { p1 = sizeof(T), p2 };
template <class X> __device__ int G<X>::N::both() { return x + y; }
template <class X> __device__ int G<X>::run(X t) { N n(t); return n.both() + int(F::two) + p2 + N::c; }
template <class X> __device__ int G<X>::go(N n) { return n.y; }
template <class T> struct G<T *> { struct N; __device__ int go(); };
template <class T> struct G<T *>::N { T a[2]; };
template <class T> __device__ int G<T *>::go() { return sizeof(N); }
template <> struct G<char> { struct N; };
struct G<char>::N { int w; };
__device__ void k(int *o) { q::O::I i{4}; q::O::J j; j.i = 1; j.j = 2; o[0] = int(q::O::K::b); o[1] = q::O::st(&i); o[2] = j.sum(); o[3] = q::O::I::z1 + q::O::u2 + e1; o[4] = G<int>::run(3); G<float> g; o[5] = g.go(G<float>::N(3)); o[6] = G<short>::p2; o[7] = G<int *>().go(); G<char>::N w{8}; o[8] = w.w; o[9] = 9; q::O::I::T1<int> t{6}; o[10] = t.t; o[11] = sizeof(G<short>::P) + int(G<char*>::N{}.a[0]); }
}
namespace members {
struct P { template <class T> __device__ int m(T t); };
template <class U> __device__ int P::m(U t) { return 2; }
template <> __device__ int P::m(float t) { return 3; }
template <class T> struct R { static __device__ int s(int a); template <class U> __device__ int z(U *u, T t = T(3)); template <class U = int, int N = 4> __device__ int d(); };
template <class A> __device__ int R<A>::s(int a) { return a; }
template <> __device__ int R<float>::s(int a) { return a + 1; }
template <class A> template <class B> __device__ int R<A>::z(B *b, A a) { return a; }
template <class A> template <class B, int M> __device__ int R<A>::d() { return M + sizeof(B); }
template <class T> struct Ex; template <> struct Ex<int> { template <class U> __device__ int m(U u); __device__ int n(); template <class U> struct In; };
template <class U> __device__ int Ex<int>::m(U u) { return sizeof(U); }
__device__ int Ex<int>::n() { return 5; }
template <class U> struct Ex<int>::In { U u; };
template <class T, class = void> struct De; template <class T> struct De<T *> { __device__ int m(); }; template <class T, class U> struct De { __device__ int m(); };
template <class T, class U> __device__ int De<T, U>::m() { return 1; }
template <class T> __device__ int De<T *>::m() { return 2; }
template <class T, class U> struct Pr; template <class T> using Sm = Pr<T, T>; template <class T> struct Pr<T, T *> { __device__ int m(); }; template <class T> __device__ int Pr<T, T *>::m() { return 7; }
template <class... Ts> struct Vs { template <class U, class... Us> __device__ int m(U u, Us... us); __device__ int c(); }; template <class... As> template <class X, class... Xs> __device__ int Vs<As...>::m(X x, Xs... xs) { return sizeof...(As) + sizeof...(Xs); } template <class... Bs> __device__ int Vs<Bs...>::c() { return sizeof...(Bs); }
__device__ void k(int *o) { P p; o[0] = p.m(1); o[1] = p.m(1.f); o[2] = R<int>::s(4); o[3] = R<float>::s(4); R<int> r; o[4] = r.z(o); o[5] = r.d(); Ex<int> e; o[6] = e.m('a'); o[7] = e.n(); Ex<int>::In<int> in{8}; o[8] = in.u; o[9] = De<int>().m(); o[10] = De<int *>().m(); o[11] = Pr<int, int *>().m(); Vs<int, float> vs; o[12] = vs.m(1, 2, 3); o[13] = vs.c(); }
}
__global__ void k(int *out) {
    types::k(out + 0);
    nested::k(out + 8);
    members::k(out + 20);
}
