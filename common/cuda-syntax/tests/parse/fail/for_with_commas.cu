__global__ void k(float *a, int n) {
  for (int i = 0, i < n, i++) a[i] = 0;
 a[0] = 1;
}
__device__ int after(int x) { return x; }
