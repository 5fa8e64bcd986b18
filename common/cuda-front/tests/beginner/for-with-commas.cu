__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0, j < n, j++) out[j] = in[j]; // EXPECT missing-semicolon
}
