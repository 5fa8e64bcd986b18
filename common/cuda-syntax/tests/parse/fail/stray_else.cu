__global__ void k(float *a, int n) {
  if (n > 0);
    a[0] = 1;
  else
    a[0] = 2;

}
__device__ int after(int x) { return x; }
