// EXPECT: 3 6 1 3 40
// Methods that use members declared after them; members of a template that nothing uses.
struct Later {
  __device__ int f(int a) { if (flag && g(a)) return 1; if (flag2 && h(3) && a < 0) return 2; if constexpr (flag2 && sizeof(a) == 4) a++; return flag * a; }
  __device__ int m(int a) const { return (x * (y)) + (w)(a) + arr[1] * x; }
  bool flag; static constexpr bool flag2 = true; int x = 3, y{4}; int arr[2] = {5, 6};
  __device__ static constexpr bool h(int x) { return x > 2; } __device__ bool g(int a) { return a > 5; } __device__ int w(int a) const { return a * 10; }
};
template<class T> struct S { T v; __device__ static constexpr int bad() { return T::nothing; } __device__ long step() { return (long)((T) nullptr + 1); } __device__ int worse() { return v.x.y; } __device__ int fine() { return q * v; } T q = 2; };
typedef S<int> SI;
__global__ void k(int *out) { int n = 0; SI s{3}; out[n++] = s.v; out[n++] = s.fine(); Later l{true}; out[n++] = l.f(6); out[n++] = l.f(2); out[n++] = l.m(1); }
