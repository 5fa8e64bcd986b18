// Lab 7, unrolled: two tiles per block.
//
//   out[x][y] = in[y][x]
//
// A thread that has two loads in flight hides twice as much memory latency, and the index arithmetic and the barrier
// are paid for once for both. A block moves two tiles side by side: TILE_Y rows and 2 * TILE_X columns of `in`.
//
// Given:   in   height rows of width floats
// Write:   out  width rows of height floats
// Launch:  blocks of TILE_X x TILE_Y threads, one for each TILE_Y rows and 2 * TILE_X columns of `in`.
//
// Checks:  every element correct, including where only one of the two tiles exists; no race. Only the
//          outputs are written.
// Gates:   coalesced_loads    load each element once (floats loaded: at most 1.1x that)
//          coalesced_stores   store each element once (floats stored: at most 1.1x that)
//          through_shared     read each element from shared memory (shared loads: at least 1 per element)
//          no_bank_conflicts  store and load each element of the tiles once, with no bank conflicts (wavefronts: at
//                             most 1.05x that)
//          half_the_barriers  wait once per two tiles (barriers: at most 1.05x that)
//          technique          at least 80 % of `out` comes from elements that another thread put in shared memory

#ifndef TILE_X
#define TILE_X 32
#endif
#ifndef TILE_Y
#define TILE_Y 16
#endif
#ifndef PAD
#define PAD 2
#endif

__global__ void transpose_unrolled(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ float tile[TILE_Y][2 * TILE_X + PAD];

    const int x = blockIdx.x * 2 * TILE_X + threadIdx.x;  // column of in, of the first tile
    const int y = blockIdx.y * TILE_Y + threadIdx.y;      // row of in

    // BEGIN SOLUTION: load columns x and x + TILE_X of row y, those that exist; wait
    if (y < height) {
        const float *row = in + (size_t)y * width;
        if (x < width) {
            tile[threadIdx.y][threadIdx.x] = row[x];
        }
        if (x + TILE_X < width) {
            tile[threadIdx.y][threadIdx.x + TILE_X] = row[x + TILE_X];
        }
    }
    __syncthreads();
    // END SOLUTION

    // BEGIN SOLUTION: renumber the threads; write one element of each tile, those that exist
    const int t = threadIdx.y * TILE_X + threadIdx.x;
    const int tile_row = t % TILE_Y;
    const int tile_column = t / TILE_Y;
    const int out_x = blockIdx.y * TILE_Y + tile_row;
    const int out_y = blockIdx.x * 2 * TILE_X + tile_column;
    if (out_x < height) {
        if (out_y < width) {
            out[(size_t)out_y * height + out_x] = tile[tile_row][tile_column];
        }
        if (out_y + TILE_X < width) {
            out[(size_t)(out_y + TILE_X) * height + out_x] = tile[tile_row][tile_column + TILE_X];
        }
    }
    // END SOLUTION
}
