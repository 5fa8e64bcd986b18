// Lab 7, naive_read_columns: adjacent threads write adjacent elements, and read far apart.
//
//   out[y][x] = in[x][y]
//
// Given:   in   height rows of width floats
// Write:   out  width rows of height floats
// Launch:  one thread per element of `out`, blocks of BLOCK_X x BLOCK_Y threads; x is the column of `out`.
//
// Checks:  every element correct. Look at the loads in the report, and find out why this is nevertheless faster than
//          `naive_read_rows`. Only the outputs are written.
// Gates:   coalesced_stores  store each element once (floats stored: at most 1.1x that)
//          loads_once        one sector per element (floats loaded: at most 1.1x that)

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif

__global__ void transpose_naive_read_columns(const float *__restrict__ in, float *__restrict__ out, int height,
                                             int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;  // column of out, row of in
    const int y = blockIdx.y * blockDim.y + threadIdx.y;  // row of out, column of in
    // TODO (3 lines): fetch element (y, x) of `out`, if there is one, from its place in `in`
}
