// Overloads that differ in the type of their result alone.
__device__ int f(int x) { return x; }
__device__ float f(int x) { return x; } // ERROR
__global__ void k(int *out) { out[0] = 1; }
