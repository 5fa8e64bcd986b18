// Lab 7, shared: turn the tile around in shared memory, so that both sides are coalesced.
//
//   out[x][y] = in[y][x]
//
// A block moves a tile of TILE_Y rows and TILE_X columns of `in`. In `out` that is a tile of TILE_X rows and TILE_Y
// columns. The tile is not square, so the threads are renumbered for the second half: thread t takes column
// t % TILE_Y and row t / TILE_Y of the tile in `out`. So adjacent threads again write adjacent elements.
//
// Given:   in   height rows of width floats
// Write:   out  width rows of height floats
// Launch:  one thread per element of `in`, blocks of TILE_X x TILE_Y threads; x is the column of `in`.
//
// Checks:  every element correct, for sizes that are not multiples of the tile; no race. The report shows what it
//          costs: how many lanes of a warp access the same shared-memory bank? Only the outputs are written.
// Gates:   coalesced_loads   load each element once (floats loaded: at most 1.1x that)
//          coalesced_stores  store each element once (floats stored: at most 1.1x that)
//          through_shared    read each element from shared memory (shared loads: at least 1 per element)
//          technique         at least 80 % of `out` comes from elements that another thread put in shared memory

#ifndef TILE_X
#define TILE_X 32
#endif
#ifndef TILE_Y
#define TILE_Y 16
#endif

__global__ void transpose_shared(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ float tile[TILE_Y][TILE_X];

    const int x = blockIdx.x * TILE_X + threadIdx.x;  // column of in
    const int y = blockIdx.y * TILE_Y + threadIdx.y;  // row of in

    // BEGIN SOLUTION: load element (y, x), if there is one, into the tile; wait
    if (x < width && y < height) {
        tile[threadIdx.y][threadIdx.x] = in[(size_t)y * width + x];
    }
    __syncthreads();
    // END SOLUTION

    // BEGIN SOLUTION: renumber the threads, find this thread's element of `out`, and write it, if there is one
    const int t = threadIdx.y * TILE_X + threadIdx.x;
    const int tile_row = t % TILE_Y;
    const int tile_column = t / TILE_Y;
    const int out_x = blockIdx.y * TILE_Y + tile_row;
    const int out_y = blockIdx.x * TILE_X + tile_column;
    if (out_x < height && out_y < width) {
        out[(size_t)out_y * height + out_x] = tile[tile_row][tile_column];
    }
    // END SOLUTION
}
