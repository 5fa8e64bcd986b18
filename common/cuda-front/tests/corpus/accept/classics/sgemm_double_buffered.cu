// A matrix product with two buffers of shared memory that take turns.
constexpr int BS = 16;
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float tile[2][2][BS][BS];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * BS + ty, col = blockIdx.x * BS + tx;
    auto fetch = [&](int buffer, int t) {
        tile[buffer][0][ty][tx] = a[row * n + t * BS + tx];
        tile[buffer][1][ty][tx] = b[(t * BS + ty) * n + col];
    };
    float sum = 0.f;
    int now = 0;
    fetch(now, 0);
    __syncthreads();
    for (int t = 1; t <= n / BS; ++t) {
        if (t < n / BS) fetch(now ^ 1, t);
#pragma unroll
        for (int k = 0; k < BS; ++k) sum += tile[now][0][ty][k] * tile[now][1][k][tx];
        __syncthreads();
        now ^= 1;
    }
    c[row * n + col] = sum;
}
