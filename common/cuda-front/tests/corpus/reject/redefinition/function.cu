// The same function twice.
__device__ int f(int x) { return x; }
__device__ int f(int y) { return y + 1; } // ERROR
__global__ void k(int *out) { out[0] = f(1); }
