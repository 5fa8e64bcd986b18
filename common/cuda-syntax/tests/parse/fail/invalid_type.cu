__global__ void k(float *a, int n) {
  unsigned float x = 3;
 a[0] = x;
}
__device__ int after(int x) { return x; }
