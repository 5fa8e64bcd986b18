// y = A * x for a sparse matrix in CSR, one thread per row.

__global__ void spmv_scalar_for(const int *offsets, const int *columns, const float *values, const float *x, float *y,
                                int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int i = offsets[row]; i < offsets[row + 1]; i++) {
            sum += values[i] * x[columns[i]];
        }
        y[row] = sum;
    }
}

__global__ void spmv_scalar_while(const int *offsets, const int *columns, const float *values, const float *x, float *y,
                                  int rows) {
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        int next = offsets[row];
        const int end = offsets[row + 1];
        float sum = 0.0f;
        while (next != end) {
            const int column = columns[next];
            sum = sum + values[next] * x[column];
            next++;
        }
        y[row] = sum;
    }
}
