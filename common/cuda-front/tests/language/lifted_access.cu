// EXPECT: 1 9 8 3 5 4 6 9 3 1 5 6 7 20 7 15 5 11 3 2 5 4 4 1
// Access of members that using declarations name.
struct Ba { int v = 1; int w = 2; __device__ int f() { return 9; } static const int s = 4; typedef int T; unsigned bf : 3; __device__ int f(int x) { return x; } enum { EE = 6 }; };
struct De : private Ba { using Ba::v; using Ba::f; using Ba::s; using Ba::T; using Ba::bf; using Ba::EE; };
class Pr { protected: int a = 3; int b = 4; int arr[2] = {5, 6}; __device__ int g() { return a; } };
class Pu : public Pr { public: using Pr::a; using Pr::arr; using Pr::g; };
struct Two : De {}; struct Three : private De { using De::v; }; struct Four : private Three { using Ba2 = int; using Three::v; };
template<class T> class TB { protected: T t = 7; T u = 8; };
template<class T> struct TD : private TB<T> { using TB<T>::t; __device__ int h() { return t + this->u; } };
template<class... B> struct All : private B... { using B::m...; };
struct M1 { int m = 11; };
class Lift : Ba { public: using Ba::v; private: using Ba::w; public: __device__ int x() { return w; } friend struct Fr; };
struct Fr { __device__ int go(Lift &l) { return l.w; } };
class Inner { struct Base { int q = 5; }; public: struct D : protected Base { using Base::q; }; };
__global__ void k(int *p) {
  De d; p[0] = d.v; p[1] = d.f(); p[2] = d.s + De::s; De::T t = 3; p[3] = t; d.bf = 5; p[4] = d.bf; p[5] = d.f(4); p[6] = De::EE;
  Pu u; p[7] = u.a + u.arr[1]; p[8] = u.g(); Two w; p[9] = w.v; Three h; h.v = 5; p[10] = h.v; Four f; f.v = 6; p[11] = f.v; auto *pf = &f; pf->v++; p[12] = pf->v; int &r = f.v; r = 20; p[13] = f.v;
  TD<int> td; p[14] = td.t; p[15] = td.h(); TD<float> tf; tf.t = 2.5f; p[16] = tf.t * 2; All<M1> al; p[17] = al.m; Lift l; p[18] = l.v + l.x(); Fr fr; p[19] = fr.go(l); Inner::D id; p[20] = id.q;
  p[21] = sizeof(d.v); decltype(d.v) dd = 4; p[22] = dd; [&] { p[23] = d.v; }(); 
}
