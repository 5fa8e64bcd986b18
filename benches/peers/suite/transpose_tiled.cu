// out = in transposed, through padded tiles of 32 x 32; blocks of 32 x 8 threads.

#define TILE 32
#define ROWS 8

__global__ void transpose_tiled_offset(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

// A flat tile, and rows that are counted.
__global__ void transpose_tiled_flat(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE * (TILE + 1)];
    const int tx = threadIdx.x;
    const int left = blockIdx.x * TILE;
    const int top = blockIdx.y * TILE;
    for (int row = threadIdx.y; row < TILE; row += ROWS) {
        tile[row * (TILE + 1) + tx] = in[(top + row) * width + (left + tx)];
    }
    __syncthreads();
    for (int column = threadIdx.y; column < TILE; column += ROWS) {
        out[(left + column) * height + (top + tx)] = tile[tx * (TILE + 1) + column];
    }
}
