// The lower triangle of C = alpha A A' + beta C, where A is n x m.

__global__ void syrk_2d(const float *a, float *c, int n, int m, float alpha, float beta) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j <= i) {
        float value = beta * c[i * n + j];
        for (int k = 0; k < m; k++) {
            value += alpha * a[i * m + k] * a[j * m + k];
        }
        c[i * n + j] = value;
    }
}

// A block per row.
__global__ void syrk_rows(const float *a, float *c, int n, int m, float alpha, float beta) {
    const int i = blockIdx.x;
    const float *left = a + i * m;
    for (int j = threadIdx.x; j <= i; j += blockDim.x) {
        const float *right = a + j * m;
        float sum = 0.0f;
        int k = m;
        do {
            --k;
            sum += left[k] * right[k];
        } while (k > 0);
        c[i * n + j] *= beta;
        c[i * n + j] += alpha * sum;
    }
}
