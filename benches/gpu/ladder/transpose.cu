// Between `padded` and `best`: a step of the ladder.
//
// transpose_loop  A tile of 32 x 32 and blocks of 32 x 8 threads, so that a thread has four loads under way and index
//                 arithmetic and barrier are paid once for four elements. Launch: grid ceil(width / 32) by
//                 ceil(height / 32), blocks of 32 x 8 threads.
//
// The next steps are settings of `best`: SIDE 32, THREADS 256 (float4); SIDE 64, THREADS 256 (longer runs, four loads of a
// float4 under way); SIDE 64, THREADS 512.
__global__ void transpose_loop(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8) {
        if (x < width && y + i < height) {
            tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(y + i) * width + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8) {
        if (x < height && y + i < width) {
            out[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
        }
    }
}
