// Two functions that differ in their results alone.
__device__ int pick(int i);
__device__ float pick(int i); // ERROR
__global__ void k(float *out) { out[0] = pick(1); }
