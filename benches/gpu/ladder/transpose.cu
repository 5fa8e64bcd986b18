// Between `padded` and `best`: a step of the ladder, and a step beside it.
//
// transpose_loop  A tile of 32 x 32 and blocks of 32 x 8 threads, so that a thread has four loads in flight and index
//                 arithmetic and barrier are paid once for four elements. Launch: grid ceil(width / 32) by
//                 ceil(height / 32), blocks of 32 x 8 threads.
//
// The next steps are settings of `best`: SIDE 32, THREADS 256 (float4); SIDE 64, THREADS 256 (longer runs, four loads of a
// float4 in flight); SIDE 64, THREADS 512.
//
// transpose_once  `best` with loads and stores that are marked as used once, which was thought to be a step on. For heights and
//                 widths that are multiples of 64. Launch: grid width / 64 by height / 64, blocks of 512 threads.
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
__global__ void __launch_bounds__(512)
    transpose_once(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ float tile[64][65];
    const int number = blockIdx.y * gridDim.x + blockIdx.x;
    const int x0 = number / gridDim.y * 64;
    const int y0 = number % gridDim.y * 64;
    const int line = threadIdx.x / 16;
    const int place = threadIdx.x % 16 * 4;
    float4 four[2];
#pragma unroll
    for (int s = 0; s < 2; s++) {
        four[s] = __ldcs(reinterpret_cast<const float4 *>(in + (size_t)(y0 + line + 32 * s) * width + x0 + place));
    }
#pragma unroll
    for (int s = 0; s < 2; s++) {
        float *to = &tile[line + 32 * s][place];
        to[0] = four[s].x;
        to[1] = four[s].y;
        to[2] = four[s].z;
        to[3] = four[s].w;
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 2; s++) {
        const int column = line + 32 * s;
        __stcs(reinterpret_cast<float4 *>(out + (size_t)(x0 + column) * height + y0 + place),
               make_float4(tile[place][column], tile[place + 1][column], tile[place + 2][column],
                           tile[place + 3][column]));
    }
}
