// The four kernels as the simulator runs them. kernels.cl and kernels.py have the same, with the same tiles and blocks;
// n is a multiple of 32 everywhere.

#define TILE 16
#define RADIUS 2
#define SIDE (TILE + 2 * RADIUS)
#define WINDOW (2 * RADIUS + 1)

// c = a * b; blocks of 16 x 16 threads, one an element of c.
__global__ void matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int column = blockIdx.x * TILE + tx;
    const int row = blockIdx.y * TILE + ty;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        a_tile[ty][tx] = a[row * n + start + tx];
        b_tile[ty][tx] = b[(start + ty) * n + column];
        __syncthreads();
        for (int p = 0; p < TILE; p++) {
            sum += a_tile[ty][p] * b_tile[p][tx];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// c = a * b; blocks of 16 x 16 threads, everything from global memory.
__global__ void matmul_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int p = 0; p < n; p++) {
        sum += a[row * n + p] * b[p * n + column];
    }
    c[row * n + column] = sum;
}

__constant__ float FILTER[WINDOW * WINDOW];

// out[y][x] = sum of FILTER[i][j] * in[y - 2 + i][x - 2 + j], 0 outside the image; blocks of 16 x 16 threads load
// 20 x 20 inputs and write 16 x 16 outputs.
__global__ void convolution(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float tile[SIDE][SIDE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int first_row = blockIdx.y * TILE - RADIUS;
    const int first_column = blockIdx.x * TILE - RADIUS;
    for (int t = ty * TILE + tx; t < SIDE * SIDE; t += TILE * TILE) {
        const int i = t / SIDE;
        const int j = t - i * SIDE;
        const int row = first_row + i;
        const int column = first_column + j;
        const bool inside = row >= 0 && row < n && column >= 0 && column < n;
        tile[i][j] = inside ? in[row * n + column] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < WINDOW; i++) {
        for (int j = 0; j < WINDOW; j++) {
            sum += FILTER[i * WINDOW + j] * tile[ty + i][tx + j];
        }
    }
    out[(blockIdx.y * TILE + ty) * n + blockIdx.x * TILE + tx] = sum;
}

// out[x][y] = in[y][x]; blocks of 32 x 8 threads move 32 x 32 elements through a tile with rows of 33.
__global__ void transpose(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float tile[32][33];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    for (int i = ty; i < 32; i += 8) {
        tile[i][tx] = in[(blockIdx.y * 32 + i) * n + blockIdx.x * 32 + tx];
    }
    __syncthreads();
    for (int i = ty; i < 32; i += 8) {
        out[(blockIdx.x * 32 + i) * n + blockIdx.y * 32 + tx] = tile[tx][i];
    }
}
