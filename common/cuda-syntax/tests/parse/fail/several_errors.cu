__global__ void k(float *a, int n) {
  int i = 0
  flaot y = 1;
  a[0] = (1;

}
__device__ int after(int x) { return x; }
