// A statement at file scope.
__device__ int x;
x = 3; // ERROR
__global__ void k(int *out) { out[0] = x; }
