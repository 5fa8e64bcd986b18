__global__ void k(float *a, int n) {
  if (n) a[0] = 1;
  elif (n > 2) a[0] = 2;
}
__device__ int after(int x) { return x; }
