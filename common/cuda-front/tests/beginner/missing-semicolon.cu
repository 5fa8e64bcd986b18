__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i] // EXPECT missing-semicolon
    out[i] = 2.0f * x;
}
