// c = a * b for n x n matrices, one element per thread.

__global__ void matmul_naive_index(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

__global__ void matmul_naive_pointer(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    const float *pa = a + row * n;
    const float *pb = b + column;
    const float *end = pa + n;
    float sum = 0.0f;
    while (pa < end) {
        sum += *pa * *pb;
        pa++;
        pb += n;
    }
    *(c + row * n + column) = sum;
}
