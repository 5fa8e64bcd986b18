// Headers that a kernel file usually includes.
#include <cfloat>
#include <climits>
#include <cstdint>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

__global__ void extremes(float *f, int32_t *i, uint8_t *bytes) {
    f[0] = FLT_MAX;
    i[0] = INT_MAX;
    i[1] = INT_MIN;
    bytes[0] = (uint8_t)CHAR_BIT;
}
