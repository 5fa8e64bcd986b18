// Lab 7, padded: the same transpose without bank conflicts.
//
//   out[x][y] = in[y][x]
//
// Shared memory has 32 banks; the float at index i of an array is in bank i % 32. With rows of 32 floats, a whole
// column of the tile is in one bank. A few extra, unused columns move each row to different banks.
//
// Work it out first: in the second half, a warp reads rows 0 to 15 of two adjacent columns of the tile. Which banks
// are these 32 floats in if a row has 32, 33 or 34 floats?
//
// Given:   in   height rows of width floats
// Write:   out  width rows of height floats
// Launch:  one thread per element of `in`, blocks of TILE_X x TILE_Y threads; x is the column of `in`.
//
// Checks:  every element correct; no race. Only the outputs are written.
// Gates:   coalesced_loads    floats loaded per output: at most 1.1 times what it takes to load each element once
//          coalesced_stores   floats stored per output: at most 1.1 times what it takes to store each element once
//          through_shared     shared loads per output: at least one for each element
//          no_bank_conflicts  wavefronts per 32 outputs: at most 1.05 times what it takes to store and load each
//                             element of whole tiles once
//          technique          share of `out` that comes from elements that another thread has put into shared memory:
//                             at least 80 %

#ifndef TILE_X
#define TILE_X 32
#endif
#ifndef TILE_Y
#define TILE_Y 16
#endif

// BEGIN SOLUTION: choose PAD, the unused columns of the tile, between #ifndef PAD and #endif as above
#ifndef PAD
#define PAD 2
#endif
// END SOLUTION

__global__ void transpose_padded(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    const int x = blockIdx.x * TILE_X + threadIdx.x;  // column of in
    const int y = blockIdx.y * TILE_Y + threadIdx.y;  // row of in

    // BEGIN SOLUTION: as in `shared`, with a tile whose rows are PAD floats longer
    __shared__ float tile[TILE_Y][TILE_X + PAD];
    if (x < width && y < height) {
        tile[threadIdx.y][threadIdx.x] = in[(size_t)y * width + x];
    }
    __syncthreads();

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
