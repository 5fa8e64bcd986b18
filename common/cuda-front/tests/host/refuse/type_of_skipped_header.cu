// The type is one of a header that is not read.
#include <cufft.h>

__global__ void k(cufftComplex *out) { out[threadIdx.x].x = 1; }
