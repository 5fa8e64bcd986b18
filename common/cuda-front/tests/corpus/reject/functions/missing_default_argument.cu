// Defaults must be the last parameters.
__device__ int f(int a = 1, int b) { return a + b; } // ERROR
__global__ void k(int *out) { out[0] = f(1, 2); }
