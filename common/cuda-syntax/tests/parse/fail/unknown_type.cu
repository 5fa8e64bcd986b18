__global__ void k(float *a, int n) {
  flaot x = 1.0f;
  x += 2;
}
__device__ int after(int x) { return x; }
