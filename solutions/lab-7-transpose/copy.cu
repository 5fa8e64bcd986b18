// Lab 7, copy: no transpose yet, only the bound that every transpose is measured against.
//
//   out[y][x] = in[y][x]
//
// Given:   in   height * width floats, row-major
// Write:   out  height * width floats, row-major
// Launch:  one thread per element, blocks of BLOCK_X x BLOCK_Y threads; x is the column.
//
// Checks:  every element correct. Only the outputs are written.
// Gates:   coalesced_loads   load each element once (floats loaded: at most 1.1x that)
//          coalesced_stores  store each element once (floats stored: at most 1.1x that)

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif

__global__ void transpose_copy(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    // BEGIN SOLUTION: copy element (y, x), if there is one
    if (x < width && y < height) {
        const size_t at = (size_t)y * width + x;
        out[at] = in[at];
    }
    // END SOLUTION
}
