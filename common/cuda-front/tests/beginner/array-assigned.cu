__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out = in[i] * 2.0f; // EXPECT cannot-convert
}
