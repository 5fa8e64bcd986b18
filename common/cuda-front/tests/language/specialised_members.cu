// EXPECT: 70 8 7 71 72 1 2 1 3 33 6 5 1 2 2 4 3 3 2 1 6 5 9 3 9 6 2 7 1 1 12 2 10 2 3 4 4 3 57 1 12 4 101 21 31 -4 5 2 5 1 3 0 5 8 19 14 5 1 1 0 4 4
namespace of_instances {
template <class T> struct S {
  T v;
  template <int N> __device__ int tm() { return N; }
  template <class U> __device__ int tt(U u) { return 1; }
  __device__ int m() { return 1; }
  __device__ int d();
  static __device__ int st() { return 5; }
};
template <> template <> __device__ int S<int>::tm<7>() { return 70; }
template <> template <> __device__ int S<int>::tt(float u) { return 71; }
template <> template <> __device__ int S<int>::tt<char>(char u) { return 72; }
template <> __device__ int S<int>::m() { return 2; }
template <> __device__ int S<int>::d() { return 3; }
template <> __device__ int S<float>::d();
template <> __device__ int S<int>::st() { return 6; }
__device__ void k(int *o) { S<int> s; S<float> t; o[0] = s.tm<7>(); o[1] = s.tm<8>(); o[2] = t.tm<7>(); o[3] = s.tt(1.f); o[4] = s.tt('c'); o[5] = s.tt(1); o[6] = s.m(); o[7] = t.m(); o[8] = s.d(); o[9] = t.d(); o[10] = S<int>::st(); o[11] = S<float>::st(); o[12] = t.tt(1.f); }
template <> __device__ int S<float>::d() { return 33; }
}
namespace operators {
struct X { template <class T> __device__ T operator()(T t) { return t + T(0.5); } template <class T> __device__ T operator+(T t) { return t + 1; } template <class T> __device__ T operator[](T t) { return t + 3; } __device__ int operator()(int a, int b) { return a - b; } template <int N> __device__ int operator()() { return N; } };
template <class A> struct M { A a; template <class T> __device__ T operator+(T t) { return t + a; } template <class T> __device__ T operator()(T t) { return t * a; } };
template <class T> __device__ T operator-(X x, T t) { return t * 2; }
template <class X_> __device__ int u(X_ x) { return x.template operator()<int>(2.7f); }
template <class X_> __device__ int u2(X_ *x) { return x->template operator()<9>(); }
__device__ void k(int *o) { X x; M<float> m{3}; o[0] = x.operator()<int>(2); o[1] = x.template operator()<int>(2); o[2] = m.operator+<float>(1); o[3] = x.operator+<float>(2.5f); o[4] = x.template operator+<float>(2); o[5] = u(x); o[6] = (&x)->operator()<float>(1); o[7] = operator-<float>(x, 3); o[8] = x.operator[]<int>(2); o[9] = u2(&x); o[10] = x.operator()(5, 2); o[11] = x.operator()<9>(); o[12] = m.operator()<int>(2); }
}
namespace all_kinds {
template <class T> struct S {
  T v;
  __device__ S(T t);
  __device__ S(T t, int);
  __device__ T get() const;
  __device__ T get();
  __device__ operator bool() const;
  __device__ operator T *();
  template <class U> __device__ operator U *() const;
  __device__ operator T() const;
  __device__ S &operator++();
  __device__ T operator[](int i) const;
  __device__ ~S();
  template <class U> static __device__ U make(U u);
  template <class U> __device__ U both(U u) const;
  template <class U> __device__ U both(U u);
  static __device__ int cnt(int);
};
template <class A> __device__ S<A>::S(A t) : v(t) {}
template <class A> __device__ S<A>::S(A t, int n) : v(t + n) {}
template <class A> __device__ A S<A>::get() const { return v; }
template <class A> __device__ A S<A>::get() { return v + 1; }
template <class A> __device__ S<A>::operator bool() const { return v > 2; }
template <class A> __device__ S<A>::operator A *() { return &v; }
template <class A> template <class B> __device__ S<A>::operator B *() const { return nullptr; }
template <class A> __device__ S<A>::operator A() const { return v + 5; }
template <class A> __device__ S<A> &S<A>::operator++() { ++v; return *this; }
template <class A> __device__ A S<A>::operator[](int i) const { return v + i; }
template <class A> __device__ S<A>::~S() { v = 0; }
template <class A> template <class B> __device__ B S<A>::make(B u) { return u + 1; }
template <class A> template <class B> __device__ B S<A>::both(B u) const { return u + 2; }
template <class A> template <class B> __device__ B S<A>::both(B u) { return u + 3; }
template <class A> __device__ int S<A>::cnt(int i) { return i; }
template <> __device__ S<char>::S(char t) : v(t + 1) {}
template <> __device__ char S<char>::get() const { return v + 50; }
template <> __device__ S<char> &S<char>::operator++() { v += 10; return *this; }
template <> __device__ S<char>::operator bool() const { return v > 99; }
template <> __device__ char S<char>::operator[](int i) const { return v - i; }
template <> __device__ S<char>::~S() {}
template <> __device__ int S<char>::cnt(int i) { return -i; }
template <> template <> __device__ int S<char>::make(int u) { return u + 100; }
template <> template <class U> __device__ U S<char>::both(U u) const { return u + 20; }
template <> template <> __device__ int S<char>::both<int>(int u) { return u + 30; }
__device__ void k(int *o) { S<int> s(1); const S<int> c(3, 4); o[0] = s.get(); o[1] = c.get(); o[2] = static_cast<bool>(s); int *p = s; o[3] = *p; int i = c; o[4] = i; ++s; o[5] = s.v; o[6] = c[3]; o[7] = S<int>::make(1); o[8] = c.both(1); o[9] = s.both(1); o[10] = S<int>::cnt(4);
 S<char> t(1); const S<char> d(3, 4); o[11] = t.get(); o[12] = d.get(); o[13] = static_cast<bool>(t); ++t; o[14] = t.v; o[15] = d[3]; o[16] = S<char>::make(1); o[17] = d.both(1); o[18] = t.both(1); o[19] = S<char>::cnt(4); o[20] = t.both(2.0f); }
}
namespace operators_again {
struct F { template <class T> __device__ T operator()(T t) const { return t / 2; } template <int N> __device__ int operator[](int i) { return N + i; } template <class T> __device__ bool operator<(T t) { return t > 1; } template <class T> __device__ F &operator<<(T t) { n = t; return *this; } template <class T> __device__ operator T() { return T(n); } template <class T> __device__ F *operator->*(T t) { return this; } template <class T> __device__ F &operator+=(T t) { n += t; return *this; } int n = 1; };
struct G : F { __device__ int r() { return this->operator()<int>(7) + operator()<int>(9) + F::operator()<float>(3); } };
template <class T> struct H { F f; T t; template <class U> __device__ U operator()(U u) const { return u + t; } __device__ int r() { return f.operator()<int>(7) + this->template operator()<int>(2) + f.template operator+=<int>(2).n + operator()<int>(3); } template <class X> __device__ int s(X x) { return x.template operator()<int>(8) + x.f.template operator()<int>(8); } };
namespace n { struct P { int a; }; template <class T> __device__ T operator+(P p, T t) { return p.a + t; } }
__device__ void k(int *o) { F f; o[0] = f.operator()<int>(5.9); o[1] = f.operator[]<4>(1); o[2] = f.operator< <int>(3); o[3] = f.operator<< <int>(3).n; o[4] = 0; o[5] = f.operator+=<int>(2.5f).n; G g; o[6] = g.r(); H<int> h{f, 2}; o[7] = h.r(); o[8] = h.s(h); n::P p{3}; o[9] = n::operator+<float>(p, 2); o[10] = f.operator<(4); o[11] = f.operator+=(1) < 3; o[13] = g.F::operator()<int>(8); o[14] = g.F::template operator()<int>(8); }
}
__global__ void k(int *out) {
    of_instances::k(out + 0);
    operators::k(out + 13);
    all_kinds::k(out + 26);
    operators_again::k(out + 47);
}
