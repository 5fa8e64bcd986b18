// Products of many pairs of matrices of 8 x 8.

#define N 8

__global__ void batch_matmul_3d(const float *a, const float *b, float *c, int batch) {
    int column = threadIdx.x;
    int row = threadIdx.y;
    int m = blockIdx.x * blockDim.z + threadIdx.z;
    if (m < batch) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += a[(m * N + row) * N + k] * b[(m * N + k) * N + column];
        }
        c[(m * N + row) * N + column] = sum;
    }
}

// Four matrices per block, through shared memory.
__global__ void batch_matmul_shared(const float *a, const float *b, float *c, int batch) {
    __shared__ float as[4][N * N];
    __shared__ float bs[4][N * N];
    const unsigned int t = threadIdx.x;
    const unsigned int which = t / (N * N);
    const unsigned int element = t % (N * N);
    const unsigned int at = blockIdx.x * 4 * N * N + t;
    const unsigned int end = (unsigned int)batch * N * N;
    as[which][element] = at < end ? a[at] : 0.0f;
    bs[which][element] = at < end ? b[at] : 0.0f;
    __syncthreads();
    const float *left = as[which] + (element & ~7u);
    const float *right = bs[which] + (element & 7u);
    float sum = 0.0f;
    for (unsigned int k = 0; k < N; ++k, right += N) {
        sum += *left++ * *right;
    }
    if (at >= end)
        return;
    c[at] = sum;
}
