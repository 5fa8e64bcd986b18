__global__ void k(float *a, int n) {
  float[16] t;
  t[0] = 1;
}
__device__ int after(int x) { return x; }
