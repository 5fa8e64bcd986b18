// EXPECT: 7 7 7 5 7 6 8 7 9
// Device variables whose type is that of their values.
struct M { int v; __host__ __device__ constexpr M(int x) : v(x) {} };
__host__ __device__ constexpr int f(int a) { return a; }
__host__ __device__ constexpr M g(int a) { return M(a); }
__device__ auto a1 = M(7).v;
__device__ int a2 = M(7).v;
__device__ int a3 = f(7);
__device__ auto a4 = f(5);
__device__ auto a5 = g(7).v;
__constant__ auto a6 = 6;
__device__ auto a7{8};
__device__ auto a8(2.5f);
__global__ void k(int *o) { o[0] = a1; o[1] = a2; o[2] = a3; o[3] = a4; o[4] = a5; o[5] = a6; o[6] = a7; a8 += 1; o[7] = (int)(2 * a8); a4 = 9; o[8] = a4; }
