// EXPECT: 10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
template <class T, int W> __device__ int f(T t) { return 0; }
template <> __device__ int f<int, 4>(int t) { int s = 0; for (int i = 0; i < t; ++i) { s += i; } return s < 4 ? 1 : s; }
__global__ void k(int *out) { out[0] = f<int, 4>(5); }
