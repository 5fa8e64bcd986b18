// Sparse matrix times vector in the ELL and COO formats.
__global__ void ell(int rows, int width, const int *cols, const float *vals, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float dot = 0;
        for (int k = 0; k < width; k++) {
            int c = cols[k * rows + r];
            if (c >= 0) dot += vals[k * rows + r] * x[c];
        }
        y[r] += dot;
    }
}
__global__ void coo(int nnz, const int2 *where, const float *vals, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += blockDim.x * gridDim.x)
        atomicAdd(&y[where[i].x], vals[i] * x[where[i].y]);
}
