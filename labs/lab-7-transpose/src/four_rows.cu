// For the sweep of block shapes: tiles of 32 x 32, blocks of 32 x 8, four rows per thread.
__global__ void transpose_four_rows(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ float tile[32][33];
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8) {
        if (x < width && y + j < height) {
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];
        }
    }
    __syncthreads();
    const int out_x = blockIdx.y * 32 + threadIdx.x;
    const int out_y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8) {
        if (out_x < height && out_y + j < width) {
            out[(size_t)(out_y + j) * height + out_x] = tile[threadIdx.x][threadIdx.y + j];
        }
    }
}
