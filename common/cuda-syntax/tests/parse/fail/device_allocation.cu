__global__ void k(float *a, int n) {
  int *p = new int[3];
 delete p;
}
__device__ int after(int x) { return x; }
