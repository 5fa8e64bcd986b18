__global__ void columns(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sums[4];
    for (int row = 0; row < n; row++) {
        for (int c = 0; c < 4; c++) sums[c] += in[(row * 4 + c) * n + i]; // EXPECT uninitialized-variable
    }
    for (int c = 0; c < 4; c++) out[c * n + i] = sums[c];
}
