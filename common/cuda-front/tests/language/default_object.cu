// EXPECT: 1 1 1 77 9 3 9 7 8 2 5 15 612 1 16 8 3927 1 600300 12 18 9 1 11 5 9 36 12 7 8 6 15 1 1 18 1 6 6 3 3
// Default member initializers name their object and its earlier members.
#define D __device__
struct A { int a; A *self = this; };
struct A2 { int a = 4; const int &r = a; int &q = a; };
struct B { int a; int b = a * 2; int c = b + a; };
template<class T> struct AT { T x = 1; T y = x * 2; };
struct S { int n = sizeof(*this); int m = alignof(S); static constexpr int q = 3; int u = q; };
struct Bs { int z = 5; }; struct De : Bs { int y = z + 1; int w = this->y * 2; Bs *b = this; };
struct O { A a; int n = a.a + 1; B b{n}; B c = {b.c}; };
struct L { int v = 3; D int f() const { return v * 100; } int g = f(); int w = this->f() + g; };
struct Ar { int n = 2; int a[3] = {n, n + 1, n * 5}; int s = a[0] + a[2]; };
struct In { int x; D In(int x) : x(x) {} D int get() { return x; } }; struct Ih : In { using In::In; int y = x + 1; int *q = &y; int z = get() + *q; };
struct Bf { int a : 4 = 3; int b = a + 2; int c : 5; int d = c + b; };
D int adds(const int &x) { return x; }
D A mk() { return A{7}; } D A mk2() { A a{8}; return a; }
D int use(B b) { return b.c; } D bool same(const A &a) { return a.self == &a; }
__global__ void k(int *p) {
 A x{1}; p[0] = x.self == &x; A y; p[1] = y.self == &y; A z[2] = {{1}, {2}}; p[2] = z[1].self == &z[1];
 A2 e; e.a = 7; p[3] = e.r * 10 + e.q; A2 f{9}; p[4] = f.r; f.q = 3; p[5] = f.a;
 B b{3}; p[6] = b.c; B c{3, 4}; p[7] = c.c; B d[2] = {{1}, {2, 3}}; p[8] = d[0].c + d[1].c; AT<int> at; p[9] = at.y; AT<float> af{2.5f}; p[10] = af.y;
 S s; p[11] = s.n + s.u; De de; p[12] = de.y * 100 + de.w; p[13] = de.b == &de; De dd{{7}}; p[14] = dd.w; De de3{{8}, 4}; p[15] = de3.w;
 O o{{2}}; p[16] = o.n * 1000 + o.b.c * 100 + o.c.c; p[17] = o.a.self == &o.a; L l; p[18] = l.w * 1000 + l.g; Ar ar; p[19] = ar.s; Ar ar2{3}; p[20] = ar2.s;
 Ih ih(4); p[21] = ih.z; p[22] = ih.q == &ih.y; Ih ih2{5}; p[23] = ih2.z;
 Bf bf; p[24] = bf.b; Bf bg{5, 7, 2}; p[25] = bg.d;
 constexpr B cb{3}; int arr[cb.c]; p[26] = sizeof(arr); static_assert(cb.c == 9); const B kb{4}; p[27] = kb.c;
 A m = mk(); p[28] = m.a; A m2 = mk2(); p[29] = m2.a; p[30] = use({2}); p[31] = use(B{5}); p[32] = same(A{3}); p[33] = same({3}); p[34] = B{6}.c;
 A *h = new A{3}; p[35] = h->self == h; delete h; B *hb = new B[2]{{1}, {2}}; p[36] = hb[1].c; delete[] hb;
 auto lam = [q = B{2}] { return q.c; }; p[37] = lam(); B bb[3]; bb[0] = B{1}; p[38] = bb[0].c; p[39] = (p[0] ? B{1} : B{2}).c;
}
