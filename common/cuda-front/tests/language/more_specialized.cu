// EXPECT: 1 2 3 1 2 3 4 1 2 3 4 5 1 2 3 1 2 3 2 2 1 2 3 4 5 6 7 9 3 1 2 3 4 5 6 7 1 2 3 4 0 1 2 3 4 5 1 2 3 1 2 3 1
// Which of two templates that fit is more specialised.
template<class T> __device__ int a(T &) { return 1; } template<class T> __device__ int a(const T &) { return 2; } template<class T> __device__ int a(T &&) { return 3; }
template<class T> __device__ int b(T) { return 1; } template<class T> __device__ int b(T *) { return 2; } template<class T> __device__ int b(const T *) { return 3; } template<class T> __device__ int b(T **) { return 4; }
template<class A, class B> struct P { A a; B b; };
template<class T> __device__ int c(T) { return 1; } template<class A, class B> __device__ int c(P<A, B>) { return 2; } template<class A> __device__ int c(P<A, A>) { return 3; } template<class A> __device__ int c(P<A, int>) { return 4; } template<class A, class B> __device__ int c(P<A *, B>) { return 5; }
template<class T, class U> __device__ int d(T, U) { return 1; } template<class T> __device__ int d(T, T) { return 2; } template<class T> __device__ int d(T, int) { return 3; }
template<class... T> __device__ int e(T...) { return 1; } template<class T, class... U> __device__ int e(T, U...) { return 2; } template<class T> __device__ int e(T, T) { return 3; }
template<class T> struct S { static constexpr int v = 1; }; template<class T> struct S<T *> { static constexpr int v = 2; }; template<class T> struct S<const T *> { static constexpr int v = 3; }; template<class T, int N> struct S<T[N]> { static constexpr int v = 4; }; template<> struct S<int *> { static constexpr int v = 5; }; template<class T> struct S<T &> { static constexpr int v = 6; }; template<class T> struct S<T &&> { static constexpr int v = 7; }; template<class T> struct S<const T> { static constexpr int v = 9; };
template<int A, int B> struct N { static constexpr int v = 1; }; template<int A> struct N<A, A> { static constexpr int v = 2; }; template<int A> struct N<A, 0> { static constexpr int v = 3; }; template<int B> struct N<1, B> { static constexpr int v = 4; }; template<> struct N<1, 0> { static constexpr int v = 5; }; template<> struct N<1, 1> { static constexpr int v = 6; }; template<> struct N<0, 0> { static constexpr int v = 7; };
template<class T> constexpr int V = 1; template<class T> constexpr int V<T *> = 2; template<> constexpr int V<float *> = 3; template<class T> constexpr int V<const T *> = 4;
template<class A, class B, class C> struct Tr { static constexpr int v = 0; }; template<class A, class C> struct Tr<A, A, C> { static constexpr int v = 1; }; template<class A> struct Tr<A, A, A> { static constexpr int v = 2; }; template<class A, class B> struct Tr<A, B, int> { static constexpr int v = 3; }; template<class A> struct Tr<A, A, int> { static constexpr int v = 4; }; template<> struct Tr<int, int, int> { static constexpr int v = 5; };
struct O { template<class T> __device__ int m(T) { return 1; } template<class T> __device__ int m(T *) { return 2; } template<class T> __device__ int m(T) const { return 3; } int x; };
template<class T> __device__ int operator+(const P<T, T> &, int) { return 1; } template<class A, class B> __device__ int operator+(const P<A, B> &, int) { return 2; }
struct Cv { int i; template<class T> __device__ operator T() const { return T(3); } template<class T> __device__ operator T *() const { return nullptr; } };
__global__ void k(int *out) {
  int n = 0; int i = 0; const int ci = 1; int *p = &i; const int *cp = &i; int **pp = &p; float f = 0;
  out[n++] = a(i); out[n++] = a(ci); out[n++] = a(5);
  out[n++] = b(i); out[n++] = b(p); out[n++] = b(cp); out[n++] = b(pp);
  out[n++] = c(i); out[n++] = c(P<float, char>{}); out[n++] = c(P<float, float>{}); out[n++] = c(P<float, int>{}); out[n++] = c(P<int *, float>{});
  out[n++] = d(f, 1.0); out[n++] = d(f, f); out[n++] = d(f, 1); 
  out[n++] = e(); out[n++] = e(1); out[n++] = e(1, 2); out[n++] = e(1, 2.0); out[n++] = e(1, 2, 3);
  out[n++] = S<int>::v; out[n++] = S<float *>::v; out[n++] = S<const float *>::v; out[n++] = S<float[3]>::v; out[n++] = S<int *>::v; out[n++] = S<int &>::v; out[n++] = S<int &&>::v; out[n++] = S<const int>::v; out[n++] = S<const int *>::v;
  out[n++] = N<2, 3>::v; out[n++] = N<2, 2>::v; out[n++] = N<2, 0>::v; out[n++] = N<1, 2>::v; out[n++] = N<1, 0>::v; out[n++] = N<1, 1>::v; out[n++] = N<0, 0>::v;
  out[n++] = V<int>; out[n++] = V<int *>; out[n++] = V<float *>; out[n++] = V<const int *>;
  out[n++] = Tr<int, float, char>::v; out[n++] = Tr<char, char, float>::v; out[n++] = Tr<char, char, char>::v; out[n++] = Tr<char, float, int>::v; out[n++] = Tr<char, char, int>::v; out[n++] = Tr<int, int, int>::v;
  O o; const O co{}; out[n++] = o.m(1); out[n++] = o.m(p); out[n++] = co.m(1);
  out[n++] = P<int, int>{} + 1; out[n++] = P<int, float>{} + 1;
  Cv cv{1}; int q = cv; float *fp = cv; out[n++] = q; out[n++] = fp == nullptr;
}
