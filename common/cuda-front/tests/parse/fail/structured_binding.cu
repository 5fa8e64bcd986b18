__global__ void k(float *a, int n) {
  auto [x, y] = f();
 a[1] = 2;
}
__device__ int after(int x) { return x; }
