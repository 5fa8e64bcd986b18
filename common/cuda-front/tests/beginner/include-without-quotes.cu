#include helpers.h // EXPECT include-without-quotes
__global__ void scale(float *out) {
    out[threadIdx.x] = 1.0f;
}
