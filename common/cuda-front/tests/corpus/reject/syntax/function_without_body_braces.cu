// A body needs braces.
__device__ int f(int x) return x; // ERROR
__global__ void k(int *out) { out[0] = f(1); }
