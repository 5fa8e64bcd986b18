// EXPECT: 1 1 1 2 3 3 3 2 2 1 1 2 3 2 3 1 4 2 3 1 1 1 1 2 3 2 1 1 -1 1 2 1 1 2 3 2 1 2 1 1 2 2 2 1 1 1 2 2 1 134 124 123 3 10
// Which overload a call means.
struct A { int v; __device__ A(int x) : v(x) {} }; struct D : A { __device__ D(int x) : A(x) {} }; struct DD : D { __device__ DD() : D(1) {} };
__device__ int f1(const int &, double) { return 1; } __device__ int f1(int, float) { return 2; }
__device__ int f2(int &) { return 1; } __device__ int f2(const int &) { return 2; } __device__ int f2(int &&) { return 3; }
__device__ int f3(A) { return 1; } __device__ int f3(D) { return 2; }
__device__ int f4(A *) { return 1; } __device__ int f4(void *) { return 2; } __device__ int f4(bool) { return 3; }
__device__ int f5(long) { return 1; } __device__ int f5(unsigned) { return 2; } __device__ int f5(float) { return 3; }

template<class T> __device__ int g1(T) { return 1; } template<class T> __device__ int g1(T *) { return 2; } template<class T> __device__ int g1(const T *) { return 3; } __device__ int g1(int) { return 4; }
template<class T> __device__ int g2(T &) { return 1; } template<class T> __device__ int g2(const T &) { return 2; } template<class T> __device__ int g2(T &&) { return 3; }
template<class T> __device__ int g3(const T &) { return 1; } __device__ int g3(double) { return 2; }
template<class T, int N> __device__ int g4(T (&)[N]) { return N; } template<class T> __device__ int g4(T *) { return -1; }
struct S { int n; __device__ int h() { return 1; } __device__ int h() const { return 2; } __device__ int r() & { return 1; } __device__ int r() const & { return 2; } __device__ int r() && { return 3; } __device__ int o(int) { return 1; } __device__ int o(double) const { return 2; } template<class T> __device__ int t(T) const { return 1; } __device__ int t(int) { return 2; } };
__device__ S mk() { return S{1}; } __device__ const S cmk() { return S{1}; }
__device__ int amb(char) { return 1; } __device__ int amb(int) { return 2; }
struct FromI { int i; __device__ FromI(int x) : i(x) {} }; struct FromD { double d; __device__ FromD(double x) : d(x) {} };
__device__ int u1(FromI) { return 1; } __device__ int u1(const int *) { return 2; }
__device__ int u2(FromI, int) { return 1; } __device__ int u2(FromI, double) { return 2; }
__device__ int def(int a, int b = 3, int c = 4) { return a * 100 + b * 10 + c; }
template<class... T> __device__ int cnt(T...) { return sizeof...(T); } template<class T> __device__ int cnt(T) { return 10; }
__global__ void k(int *out) {
  int n = 0; int i = 1; const int ci = 2; double d = 1; float fl = 2; short sh = 1; char ch = 'a'; unsigned u = 3; long l = 1; bool b = true; unsigned char uc = 1;
  out[n++] = f1(i, d); out[n++] = f1(3, 2.0);
  out[n++] = f2(i); out[n++] = f2(ci); out[n++] = f2(5); out[n++] = f2(static_cast<int &&>(i)); out[n++] = f2(sh);
  DD dd; D de(1); out[n++] = f3(dd); out[n++] = f3(de); out[n++] = f3(A(1)); out[n++] = f4(&dd); out[n++] = f4(&i); out[n++] = f4(&ci); 
  out[n++] = f5(u); out[n++] = f5(fl); out[n++] = f5(l); 
  out[n++] = g1(i); out[n++] = g1(&i); out[n++] = g1(&ci); out[n++] = g1(d); out[n++] = g1(sh); out[n++] = g1<>(i);
  out[n++] = g2(i); out[n++] = g2(ci); out[n++] = g2(5); out[n++] = g3(d); out[n++] = g3(fl); out[n++] = g3(i);
  int arr[7];  out[n++] = g4(&i);
  S s{1}; const S cs{1}; out[n++] = s.h(); out[n++] = cs.h(); out[n++] = mk().h(); out[n++] = s.r(); out[n++] = cs.r(); out[n++] = mk().r(); out[n++] = s.t(1);  out[n++] = cs.t(1); out[n++] = cs.o(1); out[n++] = s.o(1);
  out[n++] = amb(ch); out[n++] = amb(sh); out[n++] = amb(b); out[n++] = amb(uc); out[n++] = amb('x'); 
  out[n++] = u1(5); out[n++] = u2(1, 2); out[n++] = u2(1, 2.0); out[n++] = u2(1, 2.0f); out[n++] = u2(sh, sh);
  out[n++] = def(1); out[n++] = def(1, 2); out[n++] = def(1, 2, 3); out[n++] = cnt(1, 2, 3); out[n++] = cnt(1); out[n++] = cnt();
}
