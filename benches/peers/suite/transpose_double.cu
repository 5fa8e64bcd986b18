// out = in transposed in double precision, through padded tiles of 16 x 16.

#define TILE 16

__global__ void transpose_double_2d(const double *in, double *out, int width, int height) {
    __shared__ double tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// The tile is written transposed and read by rows; pointers to the first elements.
__global__ void transpose_double_pointer(const double *in, double *out, int width, int height) {
    __shared__ double tile[TILE][TILE + 1];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const double *from = in + blockIdx.y * TILE * width + blockIdx.x * TILE;
    double *to = out + blockIdx.x * TILE * height + blockIdx.y * TILE;
    tile[tx][ty] = from[ty * width + tx];
    __syncthreads();
    to[ty * height + tx] = tile[ty][tx];
}
