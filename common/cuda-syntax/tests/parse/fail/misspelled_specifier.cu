__global__ void k(float *a, int n) {
  cons int x = 3;
 a[x] = 1;
}
__device__ int after(int x) { return x; }
