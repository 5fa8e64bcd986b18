// c = a * b for n x n matrices through tiles of 16 x 16.

#define TILE 16

__global__ void matmul_tiled_2d(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int m = 0; m < n / TILE; ++m) {
        a_tile[ty][tx] = a[row * n + m * TILE + tx];
        b_tile[ty][tx] = b[(m * TILE + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            sum += a_tile[ty][k] * b_tile[k][tx];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// The NVIDIA sample's steps: begin, end and step of both matrices; flat tiles.
__global__ void matmul_tiled_steps(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[TILE * TILE];
    __shared__ float b_tile[TILE * TILE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int a_begin = n * TILE * blockIdx.y;
    const int a_end = a_begin + n - 1;
    const int b_begin = TILE * blockIdx.x;
    const int b_step = TILE * n;
    float sum = 0.0f;
    for (int ai = a_begin, bi = b_begin; ai <= a_end; ai += TILE, bi += b_step) {
        a_tile[ty * TILE + tx] = a[ai + n * ty + tx];
        b_tile[ty * TILE + tx] = b[bi + n * ty + tx];
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE; k++) {
            sum = a_tile[ty * TILE + k] * b_tile[k * TILE + tx] + sum;
        }
        __syncthreads();
    }
    c[a_begin + b_begin + n * ty + tx] = sum;
}
