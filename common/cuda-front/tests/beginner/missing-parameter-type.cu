__global__ void scale(float *out, n) { // EXPECT missing-parameter-type
    out[threadIdx.x] = 1.0f;
}
