__global__ void k(float *a, int n) {
  a[0] = float;
}
__device__ int after(int x) { return x; }
