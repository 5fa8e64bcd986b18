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
// Gates:   fewer_loads        load no more than tiles of 8 x 8 outputs would (floats loaded: at most 1.5x that)
//          loads_once         load each cell of your tiles once (floats loaded: at most 1.5x that)
//          through_shared     read the window from shared memory (shared loads: at least 1 per four cells of the
//                             window)
//          shared_wavefronts  read each cell of the window from shared memory once (wavefronts: at most 3x that)
//          coalesced_stores   store each output once (floats stored: at most 2x that)
//          technique          at least 50 % of `out` comes from image cells that another thread put in shared memory

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

    // TODO (3 lines): load cell (y, x), or 0 outside the image, into tile[ty][tx]; wait

    // TODO (11 lines): if this is an inner thread and it has an output, add up its window from the tile and write it
}
