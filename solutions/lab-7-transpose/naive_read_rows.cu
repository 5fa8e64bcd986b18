// Lab 7, naive_read_rows: adjacent threads read adjacent elements, and write far apart.
//
//   out[x][y] = in[y][x]
//
// Given:   in   height rows of width floats
// Write:   out  width rows of height floats
// Launch:  one thread per element of `in`, blocks of BLOCK_X x BLOCK_Y threads; x is the column of `in`.
//
// Checks:  every element correct. Look at the stores in the report. Only the outputs are written.
// Gates:   coalesced_loads  load each element once (floats loaded: at most 1.1x that)
//          stores_once      one sector per element (floats stored: at most 1.1x that)

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif

__global__ void transpose_naive_read_rows(const float *__restrict__ in, float *__restrict__ out, int height,
                                          int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;  // column of in, row of out
    const int y = blockIdx.y * blockDim.y + threadIdx.y;  // row of in, column of out
    // BEGIN SOLUTION: move element (y, x) of `in`, if there is one, to its place in `out`
    if (x < width && y < height) {
        out[(size_t)x * height + y] = in[(size_t)y * width + x];
    }
    // END SOLUTION
}
