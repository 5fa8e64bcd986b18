__global__ void k(float *a, int n) {
#pragma unroll
  a[0] = 1;
}
__device__ int after(int x) { return x; }
