__global__ void k(float *a, int n) {
  float x();
 a[1] = x;
}
__device__ int after(int x) { return x; }
