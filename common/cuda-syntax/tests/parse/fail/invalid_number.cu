__global__ void k(float *a, int n) {
  a[0] = 1.0q + 08 + 3f;
}
__device__ int after(int x) { return x; }
