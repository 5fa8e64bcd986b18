__global__ void stencil(float *out, const float *weights, const float *in, int n, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum;
    if (i >= radius && i < n - radius) {
        for (int j = 0; j <= 2 * radius; j++) {
            sum += weights[j] * in[i - radius + j]; // EXPECT uninitialized-variable
        }
    }
    out[i] = sum;
}
