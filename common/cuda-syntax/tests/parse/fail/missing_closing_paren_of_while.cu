__global__ void k(float *a, int n) {
  while (n < 3 { n++; }
 a[0] = 1;
}
__device__ int after(int x) { return x; }
