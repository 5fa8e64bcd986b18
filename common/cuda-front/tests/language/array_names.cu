// EXPECT: 2 6 2 5 3 5 31 4 0 3 24 33 5 5
// Parameters of array types by another name, and GNU's functions of bits.
typedef float vec3[3];
typedef float mat[2][2];
using Pair = int[2];
template <class T> struct Of { typedef T pair[2]; };
template <class T> using Two = T[2];
__device__ float second(const vec3 a) { return a[1]; }
__device__ void copy(const vec3 a, vec3 to) { for (int i = 0; i < 3; i++) to[i] = a[i] * 3; }
__device__ float corner(const mat m) { return m[1][1]; }
__device__ int later(Of<int>::pair p) { return p[1]; }
__device__ int whole(const Pair &p) { return sizeof(p) / sizeof(*p) + p[0]; }
template <class T> __device__ T last(const Two<T> p, T) { return p[1]; }
__global__ void k(int *out) {
  vec3 a = {1, 2, 3}, b;
  copy(a, b);
  const mat m = {{2, 3}, {4, 5}};
  int p[2] = {1, 2};
  Pair q = {3, 5};
  out[0] = second(a); out[1] = second(b); out[2] = later(p); out[3] = corner(m); out[4] = whole(p); out[5] = last<int>(q, 0);
  unsigned u = 240; unsigned long long w = 1ull << 40 | 1ull << 63;
  out[6] = __builtin_clz(1u); out[7] = __builtin_popcount(u); out[8] = __builtin_clzll(w); out[9] = __builtin_popcountll(w | 1);
  out[10] = __builtin_clz(u); out[11] = __builtin_ffsll(1ll << 32); out[12] = __builtin_ffs(u); out[13] = __builtin_ffs(16);
}
