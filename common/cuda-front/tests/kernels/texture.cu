// Textures and the read-only path.
__global__ void fir_texture(cudaTextureObject_t taps, const float *x, float *y, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < count; k++) sum += x[i + k] * tex1Dfetch<float>(taps, k);
    y[i] = sum;
}

__global__ void fir_readonly(const float *taps, const float *x, float *y, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < count; k++) sum += __ldg(&x[i + k]) * __ldg(taps + k);
    y[i] = sum;
}

__global__ void sample(cudaTextureObject_t image, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = tex2D<float>(image, x + 0.5f, y + 0.5f);
}
