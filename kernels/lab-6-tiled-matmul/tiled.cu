// Lab 6, tiled: C = A * B through tiles in shared memory.
//
// A block computes TILE x TILE elements of C. It walks along the shared dimension k in phases. In each phase every
// thread loads one element of A's tile and one of B's, the block waits, every thread adds TILE products from shared
// memory, and the block waits again: no thread may overwrite a tile that another still reads. Each loaded element is
// used TILE times.
//
//                        B   +----+
//                            |tile|  phase p: rows    p * TILE ...
//                            +----+
//           A   +----+   C   +----+
//               |tile|       |tile|
//               +----+       +----+
//    phase p: columns p * TILE ...
//
// Given:   a  m * k floats, row-major
//          b  k * n floats, row-major
// Write:   c  m * n floats
// Launch:  one thread per element of c, blocks of TILE x TILE threads; x is the column.
//
// Checks:  every element correct, for any m, n, k (pad the tiles with 0 at the edges); no race, so both barriers are
//          present. Only the outputs are written.
// Gates:   tile_reuse         floats loaded per output: at most 1.2 times what it takes to load each tile once for each
//                             block that uses it, with tiles of the size that you chose
//          fewer_loads        floats loaded per output: at most 4.2 times what it takes with tiles of 32 x 32
//          through_shared     shared loads per output: at least one for every two steps along k
//          shared_wavefronts  wavefronts per 32 outputs: at most 2.2 times what it takes to read an element of each
//                             factor in each step along k
//          coalesced_stores   floats stored per output: at most 1.5 times what it takes to store each element of c once
//          technique          share of `c` that comes from elements of each factor that another thread has put into
//                             shared memory: at least 60 %

#ifndef TILE
#define TILE 16
#endif

__global__ void matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m,
                             int n, int k) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int column = blockIdx.x * TILE + tx;
    const int row = blockIdx.y * TILE + ty;
    float sum = 0.0f;

    for (int start = 0; start < k; start += TILE) {
        // TODO (3 lines): load one element of each tile, 0 outside the matrices; wait

        // TODO (4 lines): add this phase's TILE products to sum; wait before the tiles are overwritten
    }

    // TODO (3 lines): write the sum, if there is an element (row, column)
}
