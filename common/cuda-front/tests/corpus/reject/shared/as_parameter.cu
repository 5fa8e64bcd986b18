// A parameter is not shared.
__device__ void f(__shared__ float *s) { s[0] = 1; } // ERROR
__global__ void k(int *out) { out[0] = 1; }
