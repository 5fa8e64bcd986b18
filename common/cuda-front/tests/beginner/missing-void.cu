__global__ scale(float *out) { // EXPECT missing-result-type
    out[threadIdx.x] = 1.0f;
}
