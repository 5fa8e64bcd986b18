// Between lab 4's `output_tile` and `best`: steps of the ladder. FILTER as there.
//
// conv2d_unrolled  One output per thread, no tile; the radius is a template parameter, so that loops and index arithmetic
//                  are gone and taps are operands from constant memory. Launch: one thread per output, 32 x 8 threads.
// conv2d_strip     Four columns and ROWS rows per thread: each input row is loaded once, as float4, and used by up to
//                  2 * RADIUS + 1 output rows. Launch: blocks of 32 x 4 threads, grid ceil(width / 128) by
//                  ceil(height / (4 * ROWS)). Width: a multiple of 4.
//
// The next step is lab 2's `best`: sums that move on from row to row, a loop of one row, no guards inside the image.
// convolution_ring.cu is the step after it.
template <int RADIUS>
__global__ void conv2d_unrolled(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i <= 2 * RADIUS; i++) {
        const int row = y - RADIUS + i;
#pragma unroll
        for (int j = 0; j <= 2 * RADIUS; j++) {
            const int column = x - RADIUS + j;
            if (row >= 0 && row < height && column >= 0 && column < width) {
                sum += FILTER[i * (2 * RADIUS + 1) + j] * __ldg(in + (size_t)row * width + column);
            }
        }
    }
    out[(size_t)y * width + x] = sum;
}

template <int RADIUS, int ROWS>
__global__ void conv2d_strip(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    constexpr int SIZE = 2 * RADIUS + 1;
    constexpr int HALO = (RADIUS + 3) / 4 * 4;
    const int x = (blockIdx.x * 32 + threadIdx.x) * 4;
    const int y = (blockIdx.y * 4 + threadIdx.y) * ROWS;
    if (x >= width || y >= height) {
        return;
    }
    float sum[ROWS][4] = {};
#pragma unroll
    for (int i = 0; i < ROWS + 2 * RADIUS; i++) {
        const int row = y - RADIUS + i;
        float window[4 + 2 * HALO];
#pragma unroll
        for (int q = 0; q < 4 + 2 * HALO; q += 4) {
            const int column = x - HALO + q;
            float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (row >= 0 && row < height && column >= 0 && column < width) {
                four = __ldg(reinterpret_cast<const float4 *>(in + (size_t)row * width + column));
            }
            window[q] = four.x;
            window[q + 1] = four.y;
            window[q + 2] = four.z;
            window[q + 3] = four.w;
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (i - r >= 0 && i - r < SIZE) {
#pragma unroll
                for (int j = 0; j < SIZE; j++) {
#pragma unroll
                    for (int c = 0; c < 4; c++) {
                        sum[r][c] += FILTER[(i - r) * SIZE + j] * window[HALO - RADIUS + j + c];
                    }
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (y + r < height) {
            *reinterpret_cast<float4 *>(out + (size_t)(y + r) * width + x) =
                make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        }
    }
}
