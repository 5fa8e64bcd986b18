// Lab 6, naive: C = A * B, one thread per element of C, everything from global memory.
//
//   c[row][column] = sum over p of a[row][p] * b[p][column]
//
// Given:   a  m * k floats, row-major
//          b  k * n floats, row-major
// Write:   c  m * n floats
// Launch:  one thread per element of c, blocks of TILE x TILE threads; x is the column. Blocks at the right and bottom
//          edges may have spare threads.
//
// Checks:  every element correct, for any m, n, k. Only the outputs are written.
// Gates:   coalesced_loads   read a row of a and a column of b, adjacent elements in adjacent threads (floats loaded:
//                            at most 1.5x that)
//          coalesced_stores  store each element of c once (floats stored: at most 1.5x that)

#ifndef TILE
#define TILE 16
#endif

__global__ void matmul_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m,
                             int n, int k) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    // TODO (8 lines): return if there is no element (row, column); multiply row by column; write the sum
}
