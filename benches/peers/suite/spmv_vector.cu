// y = A * x for a sparse matrix in CSR, 32 threads per row.

__global__ void spmv_vector_shuffle(const int *offsets, const int *columns, const float *values, const float *x,
                                    float *y, int rows) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;
    int lane = thread & 31;
    if (row < rows) {
        float sum = 0.0f;
        for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32) {
            sum += values[i] * x[columns[i]];
        }
        for (int offset = 16; offset > 0; offset >>= 1) {
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}

// Blocks of 32 x 4 threads, and the sums in shared memory.
__global__ void spmv_vector_shared(const int *offsets, const int *columns, const float *values, const float *x,
                                   float *y, int rows) {
    __shared__ float partial[4][32];
    const int lane = threadIdx.x;
    const int row = blockIdx.x * 4 + threadIdx.y;
    float sum = 0.0f;
    if (row < rows) {
        const int end = offsets[row + 1];
        int i = offsets[row] + lane;
        while (i < end) {
            sum += x[columns[i]] * values[i];
            i += 32;
        }
    }
    partial[threadIdx.y][lane] = sum;
    __syncthreads();
    for (int width = 16; width >= 1; width /= 2) {
        if (lane < width) {
            partial[threadIdx.y][lane] += partial[threadIdx.y][lane + width];
        }
        __syncthreads();
    }
    if (lane == 0 && row < rows) {
        y[row] = partial[threadIdx.y][0];
    }
}
