// EXPECT: 5 2 5 4 1 8 9 2 3 2 3 1 3 1 4 10 102 103 4 5 6 1 1 2 1005 5 16 40 40 8 18 8 1 1 2
// Enumerations in `switch` and braces, what decltype says of references, commas, copies of parts of objects.
enum E { EA = 1, EB = 5, EC = 9 };
enum class F : short { A = 2, B = 6 };
template<class T> __device__ int K(T &) { return 1; }
template<class T> __device__ int K(const T &) { return 2; }
template<class T> __device__ int K(T &&) { return 3; }
struct Base { int v; __device__ Base(int x = 1) : v(x) {} __device__ Base(const Base &o) : v(o.v + 100) {} __device__ explicit operator unsigned() const { return 0; } __device__ operator unsigned() { return 3; } };
struct Derived : Base { int w = 4; __device__ Derived(int x) : Base(x) {} __device__ operator int *() const { return nullptr; } };
struct Own { int v; __device__ Own(int x) : v(x) {} __device__ operator int() const { return v; } __device__ Own &operator=(int x) { v = x + 1000; return *this; } };
struct Holds : Own { int w = 7; __device__ Holds(int x) : Own(x) {} __device__ Holds(unsigned x, int y) : Own((int)x), w(y) {} };
struct Makes { int v; __device__ operator Base() const { return Base(40); } __device__ operator short() const { return 2; } };
struct Ref { int v; __device__ operator int &() { return v; } };
template<class T, int N = 1> struct D { T v; }; template<class T> __device__ int d(const D<T> &) { return 1; } template<class T, int N> __device__ int d(D<T, N>) { return 2; }
__global__ void k(int *out) {
  int n = 0; E e = EB; int i = 3; const int ci = 4;
  switch (e) { case 1: out[n++] = 1; break; case 5: out[n++] = 5; break; case EC: out[n++] = 9; break; }
  switch ((i, e)) { case EA: out[n++] = 1; break; default: out[n++] = 2; }
  F f{e}; out[n++] = (int)f; F g{4}; out[n++] = (int)g; short s = 6; F h{s}; out[n++] = h == F::B;
  auto &r = (e, i); r = 8; out[n++] = i; (n, i) = 9; out[n++] = i; out[n++] = K((i, ci)); out[n++] = K((i, 3));
  const int &cr = i; out[n++] = K((decltype(cr) &&)cr); out[n++] = K((decltype(i) &&)i); out[n++] = K((decltype((i)) &&)i); int &&rr = 3; out[n++] = K((decltype(rr) &&)rr); out[n++] = K(rr);
  auto &&x = (i > 2 ? EA : s); out[n++] = sizeof(x); out[n++] = (true ? e : 1.5f) * 2;
  const Base b1 = Derived(2); out[n++] = b1.v; Base b2 = (const Base &)Derived(3); out[n++] = b2.v; const Base &b3 = {Derived(4)}; out[n++] = b3.v; Base &&b4{5}; out[n++] = b4.v; const Base &b5 = {6}; out[n++] = b5.v;
  Derived dv(1); out[n++] = dv ? 1 : 2; bool t = dv; out[n++] = t;
  Own o(1), p(2); o = p; out[n++] = o.v; o = 5; out[n++] = o.v; Holds q(1), z(2, 3); q = z; out[n++] = q.v + q.w; q = 9; out[n++] = q.v + q.w;
  Makes m{1}; Base b6(m); out[n++] = b6.v; Base b7 = m; out[n++] = b7.v;
  Ref rf{5}; rf += 3; out[n++] = rf.v; rf++; out[n++] = rf * 2; --rf; out[n++] = rf.v;
  out[n++] = d(D<int>{1}); out[n++] = d(D<int, 1>{1}); out[n++] = d(D<int, 2>{1});
}
