// Calls of consteval functions wherever one may stand.
__device__ consteval int sq(int x) { return x * x; }
struct S { int v; __device__ consteval S(int x) : v(sq(x)) {} __device__ consteval int get() const { return sq(v); } int d = sq(3); };
template<class T> __device__ consteval T cube(T x) { return x * sq(x); }
__device__ int g(int x = sq(4)) { return x; }
template<int N> struct A { static constexpr int v = sq(N); int a[sq(N)]; };
__global__ void k(int *o, int n) {
  constexpr S s(3); o[0] = s.v + s.get(); auto f = [](int x) consteval { return sq(x); }; o[1] = f(2); o[2] = cube(3) + g() + A<2>::v + sizeof(A<3>);
  if constexpr (sq(2) == 4) o[3] = 1; for (int i = 0; i < sq(2); i++) o[4] += i; o[5] = sq(sq(2)); o[6] = n ? sq(2) : sq(3); switch (n) { case sq(2): o[7] = 1; } auto h = [&] { return n + sq(5); }; o[8] = h(); static_assert(sq(2) == 4);
  const int c = 3; o[9] = [] { return sq(c); }(); enum E { a = sq(2) }; o[10] = sq(a); 
}
// NVRTC: options --std=c++20 -default-device
