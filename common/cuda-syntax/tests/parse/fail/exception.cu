__global__ void k(float *a, int n) {
  try { a[0] = 1; } catch (...) {}
 a[1] = 2;
}
__device__ int after(int x) { return x; }
