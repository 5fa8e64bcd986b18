// A function of a library of CUDA that is not known.
#include <cuda/cmath>
__global__ void k(int *out) { out[0] = cuda::ceil_div(out[1], 4); }
