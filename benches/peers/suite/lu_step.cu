// A step of an LU decomposition without pivots: rows below k are eliminated; their column k holds the factors.

__global__ void lu_step_2d(float *a, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > k && i < n && j > k && j < n) {
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

// A block per row.
__global__ void lu_step_rows(float *a, int n, int k) {
    const int row = k + 1 + blockIdx.x;
    if (row >= n) {
        return;
    }
    float *mine = a + row * n;
    const float *pivot = a + k * n;
    const float factor = mine[k];
    for (int column = k + 1 + threadIdx.x; column < n; column += blockDim.x) {
        mine[column] = mine[column] - factor * pivot[column];
    }
}
