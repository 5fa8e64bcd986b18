// EXPECT: 4 1 4 1 3 1 3 3 6 3 4 3 6 5 5 12 3 14 5 6 5 2 3 8 3 5 6 8 7 5 6 7 9
namespace compared {
template <bool B, class T = void> struct en {};
template <class T> struct en<true, T> { typedef T type; };
template <bool B, class T = void> using en_t = typename en<B, T>::type;
template <class T> __device__ typename en<sizeof(T) == 4, int>::type f(T t);
template <class T> __device__ typename en<sizeof(T) != 4, int>::type f(T t);
template <class U> __device__ typename en<sizeof(U) == 4, int>::type f(U u) { return 4; }
template <class U> __device__ typename en<sizeof(U) != 4, int>::type f(U u) { return 1; }
template <class T, en_t<sizeof(T) == 4, int> = 0> __device__ int g(T t);
template <class T, en_t<sizeof(T) != 4, int> = 0> __device__ int g(T t);
template <class T, en_t<sizeof(T) == 4, int>> __device__ int g(T t) { return 4; }
template <class T, en_t<sizeof(T) != 4, int>> __device__ int g(T t) { return 1; }
template <class T, class U> __device__ auto h(T a, U b) -> decltype(a + b);
template <class X, class Y> __device__ auto h(X x, Y y) -> decltype(x + y) { return x + y; }
template <class T> struct L { using it = T *; template <class U> struct R { U u; }; __device__ it b(); template <class U> __device__ R<U> r(U u); template <class U> __device__ typename R<U *>::type2 *q(U u); };
template <class T> __device__ typename L<T>::it L<T>::b() { return nullptr; }
template <class T> template <class U> __device__ typename L<T>::template R<U> L<T>::r(U u) { return {u}; }
template <int... N> struct Sq {};
template <class... Ts> __device__ int cnt(Ts... ts);
template <class... Us> __device__ int cnt(Us... us) { return sizeof...(Us); }
template <int... N> __device__ int sm(Sq<N...>);
template <int... M> __device__ int sm(Sq<M...>) { return (M + ...); }
template <template <class> class C, class T> __device__ int tt(C<T> c);
template <template <class> class D, class U> __device__ int tt(D<U> c) { return 3; }
template <class T> struct W { T t; };
template <int N> __device__ int ar(int (&a)[N]);
template <int M> __device__ int ar(int (&a)[M]) { return M; }
template <int N> __device__ int ar2(int (&a)[N + 1]);
template <int M> __device__ int ar2(int (&a)[M + 1]) { return M; }
template <class T> __device__ int cr(const T &t, T &&u, T *const p, volatile T *v);
template <class U> __device__ int cr(U const &t, U &&u, U *p, U volatile *v) { return 6; }
template <class F> __device__ int ff(F f, int (*g)(int), int n);
template <class G> __device__ int ff(G f, int g(int), const int n) { return g(f(n)); }
template <class T> __device__ unsigned us(T t, unsigned int a, unsigned long b);
template <class T> __device__ unsigned int us(T t, unsigned a, long unsigned b) { return a + b; }
struct Q { template <class T> __device__ int m(T, Q) const; template <class T> __device__ int m(T, Q); template <class T> static __device__ int s(T *); };
template <class U> __device__ int Q::m(U, Q) const { return 1; }
template <class U> __device__ int Q::m(U, Q) { return 2; }
template <class U> __device__ int Q::s(U *) { return 3; }
__device__ int id(int x) { return x + 1; }
__device__ void k(int *o) { o[0] = f(1); o[1] = f('a'); o[2] = g(1); o[3] = g('a'); o[4] = h(1, 2.5f); L<int> l; o[5] = l.b() == nullptr; o[6] = l.r(3).u; o[7] = cnt(1, 2, 3); o[8] = sm(Sq<1, 2, 3>()); o[9] = tt(W<int>()); int a[4]; o[10] = ar(a); o[11] = ar2<3>(a); int z = 0; o[12] = cr(z, 3, &z, &z); o[13] = ff(id, id, 3); o[14] = us(1, 2u, 3ul); Q q; const Q cq; o[15] = q.m(1, q) + 10 * cq.m(1, q); o[16] = Q::s(&z); }
}
namespace unnamed_again {
namespace { struct S; __device__ int a(S *); template <class T> __device__ T t(T); template <class T> struct C; constexpr int n0 = 4; enum E : int; }
namespace { struct S { int v; }; template <class T> struct C { T c; }; enum E : int { e = 3 }; }
namespace o { namespace { __device__ int b(int = 5); } }
__device__ int use(S *s) { return a(s) + t(2) + o::b(); }
namespace { __device__ int a(S *s) { return s->v; } template <class T> __device__ T t(T x) { return x * n0; } }
namespace o { namespace { __device__ int b(int x) { return x; } } }
namespace { namespace i { __device__ int d(); } }
namespace { namespace i { __device__ int d() { return 3; } } }
namespace { __constant__ int kc[2] = {1, 2}; __device__ int gv = 3; }
namespace { __device__ int us() { return kc[1] + gv; } }
__device__ void k(int *o) { S s{1}; o[0] = use(&s); C<int> c{2}; o[1] = c.c + e; o[2] = i::d() + i::d(); o[3] = us(); }
}
namespace defaults {
template <class T, class U = int> struct A;
template <class X, class Y> struct A { X x; Y y; };
template <class T, int N = 3> __device__ int f(T t);
template <class T, int M> __device__ int f(T t) { return M; }
template <class T, class U = T *> struct B;
template <class X, class Y> struct B { X x; Y y; };
__device__ void k(int *o) { A<float> a; a.y = 2; o[0] = a.y; o[1] = f(1); B<int> b; o[2] = sizeof(b.y); }
}
namespace named_first {
__device__ int f(struct F *p);
struct F { int a; };
__device__ int f(struct F *p) { return p->a; }
struct Q { struct R *next; int v; };
struct R { int z; };
__device__ int g(const class G &p);
class G { public: int a; };
__device__ int g(const class G &p) { return p.a; }
__device__ struct T *t(struct T *p) { return p; }
struct T { int b; };
__device__ void k(int *o) { F x{3}; R r{5}; Q q{&r, 1}; G y; y.a = 6; T tt{8}; o[0] = f(&x); o[1] = q.next->z; o[2] = g(y); o[3] = t(&tt)->b; }
}
namespace named_in_members {
struct F; struct Li { struct Node *head; union Un *u; __device__ int sum(); };
struct Node { struct Node *next; int v; };
union Un { int i; float f; };
__device__ int Li::sum() { int s = 0; for (struct Node *n = head; n; n = n->next) s += n->v; return s + u->i; }
namespace q { __device__ int a(struct Z *z); struct Z { int b; }; __device__ int a(struct Z *z) { return z->b; } }
typedef struct Tt { struct Uu *p; } Tt;
struct Uu { int k; };
template <class T> __device__ int tp(struct Late *l, T t); struct Late { int l; };
template <class T> __device__ int tp(struct Late *l, T t) { return l->l + t; }
class Cl { struct Fwd *p; public: __device__ Cl(struct Fwd *q); __device__ int get(); }; struct Fwd { int f; }; __device__ Cl::Cl(Fwd *q) : p(q) {} __device__ int Cl::get() { return p->f; }
struct Arg { int x; };
__device__ void k(int *o) { Un u; u.i = 4; Node b{nullptr, 2}, a{&b, 1}; Li l{&a, &u}; o[0] = l.sum(); q::Z z{5}; o[1] = q::a(&z); Uu uu{6}; Tt t{&uu}; o[2] = t.p->k; Late la{3}; o[3] = tp(&la, 4); Fwd f{9}; o[4] = Cl(&f).get(); }
}
__global__ void k(int *out) {
    compared::k(out + 0);
    unnamed_again::k(out + 17);
    defaults::k(out + 21);
    named_first::k(out + 24);
    named_in_members::k(out + 28);
}
