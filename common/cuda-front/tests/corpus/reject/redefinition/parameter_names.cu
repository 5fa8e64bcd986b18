// Two parameters of one name.
__device__ int f(int a, int a) { return a; } // ERROR
__global__ void k(int *out) { out[0] = f(1, 2); }
