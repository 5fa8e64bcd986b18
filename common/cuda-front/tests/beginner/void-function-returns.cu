__device__ void f(int n) { return n; } // EXPECT unexpected-return-value
__device__ void g(float *p) { return p; } // EXPECT unexpected-return-value
__global__ void k(float *out) { f(2); g(out); }
