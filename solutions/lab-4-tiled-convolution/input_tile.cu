// Lab 4, input_tile: a shared tile, and a block as large as the tile that it reads.
//
// A block of TILE x TILE threads loads TILE x TILE inputs, one per thread: its outputs and the halo around them.
// After a barrier only the inner (TILE - 2 * radius) squared threads compute. The outer ones are done.
//
//     +--------------------+    TILE x TILE threads, all load
//     | halo               |
//     |   +------------+   |
//     |   | outputs    |   |    TILE - 2 * radius in each direction, these compute too
//     |   +------------+   |
//     |                    |
//     +--------------------+
//
//   out[y][x] = sum over i, j of FILTER[i][j] * in[y - radius + i][x - radius + j];  cells outside the image are 0
//
// Given:   in      height * width floats, row-major
//          FILTER  (2 * radius + 1) squared floats, row-major; radius is 1 to MAX_RADIUS
// Write:   out     height * width floats
// Launch:  one block for each tile of outputs. TILE must be larger than 2 * radius.
//
// Checks:  every output correct; no race; no barrier that part of the block skips. Only the outputs are written.
// Gates:   fewer_loads        floats loaded per output: at most 1.5 times what it takes to load tiles of 8 x 8 outputs
//          loads_once         floats loaded per output: at most 1.5 times what it takes to load each cell of each tile
//                             once, with tiles of the size that you chose
//          through_shared     shared loads per output: at least one for every four cells of the window
//          shared_wavefronts  wavefronts per 32 outputs: at most 3 times what it takes to read each cell of the window
//                             once
//          coalesced_stores   floats stored per output: at most 2 times what it takes to store each output once
//          technique          share of `out` that comes from cells of the image that another thread has put into shared
//                             memory: at least 50 %

#ifndef TILE
#define TILE 16
#endif
#define MAX_RADIUS 7

__constant__ float FILTER[(2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1)];

__global__ void conv2d_input_tile(const float *__restrict__ in, float *__restrict__ out, int height, int width,
                                  int radius) {
    __shared__ float tile[TILE][TILE];

    const int outputs = TILE - 2 * radius;  // of a block, in each direction
    const int tx = threadIdx.x;             // int, because tx - radius may be negative
    const int ty = threadIdx.y;
    const int x = blockIdx.x * outputs + tx - radius;  // the cell that this thread loads, and its output
    const int y = blockIdx.y * outputs + ty - radius;

    // BEGIN SOLUTION: load cell (y, x), or 0 outside the image, into tile[ty][tx]; wait
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    tile[ty][tx] = inside ? in[(size_t)y * width + x] : 0.0f;
    __syncthreads();
    // END SOLUTION

    // BEGIN SOLUTION: if this is an inner thread and it has an output, add up its window from the tile and write it
    const bool inner = tx >= radius && tx < TILE - radius && ty >= radius && ty < TILE - radius;
    if (inner && inside) {
        const int size = 2 * radius + 1;
        float sum = 0.0f;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                sum += FILTER[i * size + j] * tile[ty - radius + i][tx - radius + j];
            }
        }
        out[(size_t)y * width + x] = sum;
    }
    // END SOLUTION
}
