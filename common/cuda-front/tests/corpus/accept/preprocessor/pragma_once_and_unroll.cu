// Pragmas: unroll with and without a factor, a factor from a macro, and one that means nothing to the device.
#pragma once
#define FACTOR 4
__global__ void unrolled(float *out, const float *in) {
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < 8; i++) s += in[i];
#pragma unroll 4
    for (int i = 0; i < 8; i++) s += in[i + 8];
#pragma unroll FACTOR
    for (int i = 0; i < 8; i++) s += in[i + 16];
#pragma unroll 1
    for (int i = 0; i < 8; i++) s += in[i + 24];
    out[threadIdx.x] = s;
}
