// A variable of the device without a type.
__device__ void total; // ERROR
__global__ void k(int *out) { out[0] = 1; }
