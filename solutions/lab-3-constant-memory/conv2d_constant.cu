// Lab 3, conv2d_constant: the filter moves to constant memory.
//
// All threads of a warp read the same filter element at the same time. Constant memory is made for that: one read from
// its own cache serves the whole warp, and the only global loads left are those of the image.
//
//   out[y][x] = sum over i, j of FILTER[i][j] * in[y - radius + i][x - radius + j];  cells outside the image are 0
//
// Given:   in      height * width floats, row-major
//          FILTER  set by the host before the launch: (2 * radius + 1) squared floats, row-major, without gaps (the
//                  length of a row is 2 * radius + 1); radius is 1 to MAX_RADIUS
// Write:   out     height * width floats
// Launch:  one thread per output, blocks of BLOCK_X x BLOCK_Y threads; x is the column.
//
// Checks:  every output correct. Only the outputs are written.
// Gates:   through_constant  read the small array from constant memory (constant passes: at least 0.95 per element of
//                            the array)
//          uniform_index     read one element of the array per warp at a time, each once (constant passes: at most
//                            1.15x that)
//          fewer_loads       load each element of the large array once per output (other loads: at most 1.2x that)
//          coalesced_loads   read each window, adjacent cells in adjacent threads (floats loaded: at most 1.5x that)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)
//          technique         at least 90 % of `out` comes from elements of the __constant__ array that its thread reads
//                            itself

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif
#define MAX_RADIUS 7

__constant__ float FILTER[(2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1)];

__global__ void conv2d_constant(const float *__restrict__ in, float *__restrict__ out, int height, int width,
                                int radius) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    // BEGIN SOLUTION: the convolution of lab 2, with FILTER instead of the pointer
    if (x >= width || y >= height) {
        return;
    }
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        const int row = y - radius + i;
        for (int j = 0; j < size; j++) {
            const int column = x - radius + j;
            if (row >= 0 && row < height && column >= 0 && column < width) {
                sum += FILTER[i * size + j] * in[(size_t)row * width + column];
            }
        }
    }
    out[(size_t)y * width + x] = sum;
    // END SOLUTION
}
