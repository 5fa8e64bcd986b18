// Lab 2, naive: a two-dimensional convolution, everything in global memory.
//
//   out[y][x] = sum over i, j of filter[i][j] * in[y - radius + i][x - radius + j]
//
// Cells outside the image ("ghost cells") count as 0. The filter is not flipped.
//
// Given:   in      height * width floats, row-major
//          filter  (2 * radius + 1) squared floats, row-major; radius is 1 to 7
// Write:   out     height * width floats
// Launch:  one thread per output, blocks of BLOCK_X x BLOCK_Y threads; x is the column. Blocks at the right and bottom
//          edges may have spare threads.
//
// Checks:  every output correct, including at the edges and in images smaller than the filter. Only the outputs are
//          written.
// Gates:   coalesced_loads   read each window and the filter, adjacent cells in adjacent threads (floats loaded: at
//                            most 1.5x that)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif

__global__ void conv2d_naive(const float *__restrict__ in, const float *__restrict__ filter,
                             float *__restrict__ out, int height, int width, int radius) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    // TODO (15 lines): return if there is no output (y, x); loop over the filter, skip ghost cells, write the sum
}
