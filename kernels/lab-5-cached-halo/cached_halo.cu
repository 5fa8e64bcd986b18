// Lab 5, cached_halo: a tile without a halo; the cache supplies the rest.
//
// The block keeps only its own TILE x TILE inputs in shared memory: one load per thread, no idle threads, no loop. If a
// window extends past the tile's edge, those cells come from global memory. The neighbouring block has its own copy of
// them, and so, most likely, does a cache.
//
//   out[y][x] = sum over i, j of FILTER[i][j] * in[y - radius + i][x - radius + j];  cells outside the image are 0
//
// Given:   in      height * width floats, row-major
//          FILTER  (2 * radius + 1) squared floats, row-major; radius is 1 to MAX_RADIUS
// Write:   out     height * width floats
// Launch:  one thread per output, blocks of TILE x TILE threads; x is the column.
//
// Note:    threadIdx.x is unsigned, so threadIdx.x - radius is a huge number where you mean a negative one.
//
// Checks:  every output correct; no race. Only the outputs are written.
// Gates:   fewer_sectors      load own cells once and halo cells at each use, as tiles of 16 x 16 would (floats loaded:
//                             at most 1.2x that)
//          halo_only          load the own cells of your tiles once, and halo cells at each use (floats loaded: at most
//                             1.3x that)
//          halo_from_global   read halo cells from global memory (floats loaded: at least 0.75x of own cells once plus
//                             halo cells at each use)
//          through_shared     read own cells from shared memory (shared loads: at least 1 per four cells of the window)
//          shared_wavefronts  read each cell of the window once (wavefronts: at most 2.5x that)
//          coalesced_stores   store each output once (floats stored: at most 1.5x that)
//          technique          at least 40 % of `out` comes from image cells that another thread put in shared memory

#ifndef TILE
#define TILE 32
#endif
#define MAX_RADIUS 7

__constant__ float FILTER[(2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1)];

__global__ void conv2d_cached_halo(const float *__restrict__ in, float *__restrict__ out, int height, int width,
                                   int radius) {
    __shared__ float tile[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * TILE + tx;
    const int y = blockIdx.y * TILE + ty;

    // TODO (4 lines): load this thread's own cell, if there is one; wait

    // TODO (20 lines): take each window cell that lies in the image from the tile if it is there, otherwise from `in`
}
