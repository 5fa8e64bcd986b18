#include <hip/hip_runtime.h>

__global__ void k(float *out) { out[0] = 1; }
