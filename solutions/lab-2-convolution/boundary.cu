// Lab 2, boundary: what lies outside the image is a choice.
//
//   out[y][x] = sum over i, j of filter[i][j] * cell(y - radius + i, x - radius + j)
//
// Inside the image a cell is in[y][x]. Outside, `mode` says what it is:
//   MODE_CONSTANT  the number `ghost`
//   MODE_CLAMP     the nearest cell of the image: row and column are clamped to the edge independently
//
// Given:   in      height * width floats, row-major
//          filter  (2 * radius + 1) squared floats, row-major; radius is 1 to 7
// Write:   out     height * width floats
// Launch:  one thread per output, blocks of BLOCK_X x BLOCK_Y threads; x is the column.
//
// Checks:  every output correct in both modes, including where the window leaves the image on two sides. Only the
//          outputs are written.
// Gates:   coalesced_loads   read each window and the filter, adjacent cells in adjacent threads (floats loaded: at
//                            most 1.5x that)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif
#define MODE_CONSTANT 0
#define MODE_CLAMP 1

__device__ float cell(const float *__restrict__ in, int row, int column, int height, int width, int mode,
                      float ghost) {
    float value = ghost;
    // BEGIN SOLUTION: in MODE_CLAMP, clamp row and column to the edge; then read the cell if it lies in the image
    if (mode == MODE_CLAMP) {
        row = min(max(row, 0), height - 1);
        column = min(max(column, 0), width - 1);
    }
    if (row >= 0 && row < height && column >= 0 && column < width) {
        value = in[(size_t)row * width + column];
    }
    // END SOLUTION
    return value;
}

__global__ void conv2d_boundary(const float *__restrict__ in, const float *__restrict__ filter,
                                float *__restrict__ out, int height, int width, int radius, int mode, float ghost) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    // BEGIN SOLUTION: as in `naive`, but every cell of the window counts, through cell()
    if (x >= width || y >= height) {
        return;
    }
    const int size = 2 * radius + 1;
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            sum += filter[i * size + j] * cell(in, y - radius + i, x - radius + j, height, width, mode, ghost);
        }
    }
    out[(size_t)y * width + x] = sum;
    // END SOLUTION
}
