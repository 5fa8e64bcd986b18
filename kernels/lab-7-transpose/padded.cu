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
// Gates:   coalesced_loads    load each element once (floats loaded: at most 1.1x that)
//          coalesced_stores   store each element once (floats stored: at most 1.1x that)
//          through_shared     read each element from shared memory (shared loads: at least 1 per element)
//          no_bank_conflicts  store and load each element of the tiles once, with no bank conflicts (wavefronts: at
//                             most 1.05x that)
//          technique          at least 80 % of `out` comes from elements that another thread put in shared memory

#ifndef TILE_X
#define TILE_X 32
#endif
#ifndef TILE_Y
#define TILE_Y 16
#endif

// TODO (3 lines): choose PAD, the unused columns of the tile, between #ifndef PAD and #endif as above

__global__ void transpose_padded(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    const int x = blockIdx.x * TILE_X + threadIdx.x;  // column of in
    const int y = blockIdx.y * TILE_Y + threadIdx.y;  // row of in

    // TODO (13 lines): as in `shared`, with a tile whose rows are PAD floats longer
}
