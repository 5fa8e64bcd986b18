#ifndef TILE
#define TILE 16
#endif
__global__ void matmul_tiled(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
    const int r = blockIdx.y * TILE + threadIdx.y;
    float acc = 0.0f;
    __shared__ float sa[TILE][TILE];
    const int col = blockIdx.x * TILE + threadIdx.x;
    __shared__ float sb[TILE][TILE];
    const int y = threadIdx.y, x = threadIdx.x;
    for (int base = 0; base < K; base += TILE)
    {
        sa[y][x] = r < M && base + x < K ? A[(size_t)r * K + base + x] : 0.0f;
        sb[y][x] = base + y < K && col < N ? B[(size_t)(base + y) * N + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE / 2; ++i) {
            acc += sa[y][i] * sb[i][x];
        }
        for (int i = TILE / 2; i < TILE; ++i) {
            acc += sa[y][i] * sb[i][x];
        }
        __syncthreads();
    }
    if (r < M && col < N)
        C[(size_t)r * N + col] = acc;
}
