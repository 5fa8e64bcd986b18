// y = A * x for a dense matrix, one thread per row.

__global__ void matvec_index(const float *a, const float *x, float *y, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = 0; j < columns; j++) {
            sum += a[row * columns + j] * x[j];
        }
        y[row] = sum;
    }
}

__global__ void matvec_pointer(const float *a, const float *x, float *y, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float *line = a + row * columns;
    const float *factor = x;
    float sum = 0.0f;
    for (int left = columns; left > 0; --left) {
        sum += *line++ * *factor++;
    }
    y[row] = sum;
}
