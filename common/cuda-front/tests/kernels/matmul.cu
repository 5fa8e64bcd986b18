// Matrix product through square shared tiles, and with several outputs a thread in registers.
template <int TILE>
__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int phase = 0; phase < (k + TILE - 1) / TILE; ++phase) {
        int ac = phase * TILE + threadIdx.x, br = phase * TILE + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && ac < k ? a[row * k + ac] : 0;
        bs[threadIdx.y][threadIdx.x] = br < k && col < n ? b[br * n + col] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

template __global__ void matmul<8>(const float *, const float *, float *, int, int, int);
template __global__ void matmul<16>(const float *, const float *, float *, int, int, int);

#define TM 4
#define TN 4

__global__ void register_tiled(const float *a, const float *b, float *c, int m, int n, int k) {
    float acc[TM][TN] = {};
    const int row = (blockIdx.y * blockDim.y + threadIdx.y) * TM;
    const int col = (blockIdx.x * blockDim.x + threadIdx.x) * TN;
    for (int i = 0; i < k; ++i) {
        float ra[TM], rb[TN];
#pragma unroll
        for (int y = 0; y < TM; ++y) ra[y] = row + y < m ? a[(row + y) * k + i] : 0.0f;
#pragma unroll
        for (int x = 0; x < TN; ++x) rb[x] = col + x < n ? b[i * n + col + x] : 0.0f;
#pragma unroll
        for (int y = 0; y < TM; ++y)
#pragma unroll
            for (int x = 0; x < TN; ++x) acc[y][x] += ra[y] * rb[x];
    }
#pragma unroll
    for (int y = 0; y < TM; ++y)
#pragma unroll
        for (int x = 0; x < TN; ++x)
            if (row + y < m && col + x < n) c[(row + y) * n + (col + x)] = acc[y][x];
}
