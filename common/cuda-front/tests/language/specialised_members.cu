// EXPECT: 70 8 7 71 72 1 2 1 3 33 6 5 1 2 2 4 3 3 2 1 6 5 9 3 9 6
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
__global__ void k(int *out) {
    of_instances::k(out + 0);
    operators::k(out + 13);
}
