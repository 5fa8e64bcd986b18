// A matrix product, one thread an element.
__global__ void sgemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < m) {
        float t = 0.0;
        for (int i = 0; i < k; ++i) t += a[y * k + i] * b[i * n + x];
        c[y * n + x] = alpha * t + beta * c[y * n + x];
    }
}
