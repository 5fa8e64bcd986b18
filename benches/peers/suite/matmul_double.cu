// c = a * b for n x n matrices in double precision.

__global__ void matmul_double_2d(const double *a, const double *b, double *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

// Row and column come from one index.
__global__ void matmul_double_1d(const double *a, const double *b, double *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n) {
        int row = i / n;
        int column = i % n;
        double sum = 0.0;
        for (int k = 0; k != n; ++k) {
            sum = a[n * row + k] * b[n * k + column] + sum;
        }
        c[i] = sum;
    }
}
