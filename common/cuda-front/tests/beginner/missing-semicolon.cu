__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i]
    out[i] = 2.0f * x; // EXPECT missing-semicolon
}
