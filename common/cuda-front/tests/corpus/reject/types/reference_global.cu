// A reference of the device that refers to nothing.
__device__ int &total; // ERROR
__global__ void k(int *out) { out[0] = 1; }
