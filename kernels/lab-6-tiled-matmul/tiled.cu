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
// Gates:   tile_reuse         load each of your tiles once per block that uses it (floats loaded: at most 1.2x that)
//          fewer_loads        load no more than tiles of 32 x 32 would (floats loaded: at most 4.2x that)
//          through_shared     read the factors from shared memory (shared loads: at least 1 per two steps along k)
//          shared_wavefronts  read one element of each factor from shared memory per step along k (wavefronts: at most
//                             2.2x that)
//          coalesced_stores   store each element of c once (floats stored: at most 1.5x that)
//          technique          at least 60 % of `c` comes from elements of each factor that another thread put in shared
//                             memory

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
