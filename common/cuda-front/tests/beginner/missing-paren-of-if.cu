__global__ void smooth(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (i >= 1 && i < n - 1 { // EXPECT missing-closing-paren
        for (int j = -1; j <= 1; j++) {
            sum += in[i + j];
        }
    }
    out[i] = sum;
}
