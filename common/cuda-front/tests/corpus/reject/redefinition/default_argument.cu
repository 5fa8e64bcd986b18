// A default argument given twice.
__device__ int f(int a = 1);
__device__ int f(int a = 1) { return a; } // ERROR
__global__ void k(int *out) { out[0] = f(); }
