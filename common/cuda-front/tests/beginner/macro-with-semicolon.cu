#define N 16; // EXPECT macro-with-semicolon
__global__ void scale(float *out) {
    if (threadIdx.x < N) out[threadIdx.x] = 1.0f; // EXPECT unexpected-token
}
