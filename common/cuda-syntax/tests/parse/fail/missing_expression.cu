__global__ void k(float *a, int n) {
  a[0] = ;
  a[1] = 2 + * 3 / ;
 a[0] = a[1] b;
}
__device__ int after(int x) { return x; }
