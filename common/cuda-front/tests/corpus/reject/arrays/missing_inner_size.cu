// Only the first size may be left out.
__device__ int f(int a[][]) { return a[0][0]; } // ERROR
__global__ void k(int *out) { out[0] = 1; }
