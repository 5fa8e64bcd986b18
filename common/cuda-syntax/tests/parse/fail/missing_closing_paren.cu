__global__ void k(float *a, int n) {
  a[0] = (1 + n * (2 + 3);
  a[1] = 2;
}
__device__ int after(int x) { return x; }
