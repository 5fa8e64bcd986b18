// Lab 1, relaxation: an iterative solver whose data stays on the device.
//
// A grid of height x width cells in row-major order. Each step moves every inner cell toward the mean of its four
// neighbours; the border cells keep fixed values.
//
//   next = current + omega * (mean of up, down, left, right - current)
//
// The host launches `relax_boundary` on the first grid. Then, for each step, it launches `relax_step` from one buffer
// to the other and `relax_boundary` on the other, and swaps the two pointers. Nothing is copied between steps.
//
// relax_step      Given: current, height * width floats. Write: the inner cells of next, and no others.
//                 Launch: one thread per cell, blocks of BLOCK_X x BLOCK_Y threads; x is the column.
// relax_boundary  Write: the border of grid, and no others: first row `top`, last row `bottom`, first column `left`,
//                 last column `right`. A corner belongs to its row. In a grid of one row, `top` wins; in a grid of one
//                 column, `left` wins over `right`.
//                 Launch: blocks of BLOCK_X * BLOCK_Y threads along x, at least max(height, width) threads in total.
//
// Checks:  every cell correct after several steps, including in grids of one row or one column; no race. Only the
//          outputs are written.
// Gates:   coalesced_loads   read each cell and its four neighbours, adjacent cells in adjacent threads (floats loaded:
//                            at most 1.5x that)
//          coalesced_stores  store each inner cell once per step, and each border cell once per grid (floats stored: at
//                            most 1.5x that)

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

__global__ void relax_step(const float *__restrict__ current, float *__restrict__ next, int height, int width,
                           float omega) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    // TODO (5 lines): only for inner cells: read the cell and its four neighbours, write next
}

__global__ void relax_boundary(float *grid, int height, int width, float top, float bottom, float left,
                               float right) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (8 lines): thread i writes column i of the first and last row, and row i of the first and last column
}
