// Lab 4, output_tile: a shared tile, and a block as large as the tile that it writes.
//
// A block of TILE x TILE threads computes TILE x TILE outputs, so no thread is idle while it computes. The input tile
// is larger, (TILE + 2 * radius) squared, so the threads load it in a loop: thread number t loads cells t, t + threads,
// t + 2 * threads ... of the tile, numbered row by row.
//
//   out[y][x] = sum over i, j of FILTER[i][j] * in[y - radius + i][x - radius + j];  cells outside the image are 0
//
// Given:   in      height * width floats, row-major
//          FILTER  (2 * radius + 1) squared floats, row-major; radius is 1 to MAX_RADIUS
// Write:   out     height * width floats
// Launch:  one thread per output, blocks of TILE x TILE threads; x is the column.
//
// Checks:  every output correct; no race. Only the outputs are written.
// Gates:   fewer_loads        floats loaded per output: at most 1.5 times what it takes to load tiles of 8 x 8 outputs
//          loads_once         floats loaded per output: at most 1.5 times what it takes to load each cell of each tile
//                             once, with tiles of the size that you chose
//          through_shared     shared loads per output: at least one for every four cells of the window
//          shared_wavefronts  wavefronts per 32 outputs: at most 3 times what it takes to read each cell of the window
//                             once
//          coalesced_stores   floats stored per output: at most 1.5 times what it takes to store each output once
//          technique          share of `out` that comes from cells of the image that another thread has put into shared
//                             memory: at least 50 %

#ifndef TILE
#define TILE 16
#endif
#define MAX_RADIUS 7

__constant__ float FILTER[(2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1)];

__global__ void conv2d_output_tile(const float *__restrict__ in, float *__restrict__ out, int height, int width,
                                   int radius) {
    __shared__ float tile[TILE + 2 * MAX_RADIUS][TILE + 2 * MAX_RADIUS];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * TILE + tx;
    const int y = blockIdx.y * TILE + ty;

    // BEGIN SOLUTION: load the tile with its halo in a loop, 0 outside the image; wait
    const int side = TILE + 2 * radius;
    for (int t = ty * TILE + tx; t < side * side; t += TILE * TILE) {
        const int tile_row = t / side;
        const int tile_column = t % side;
        const int row = blockIdx.y * TILE + tile_row - radius;
        const int column = blockIdx.x * TILE + tile_column - radius;
        const bool inside = row >= 0 && row < height && column >= 0 && column < width;
        tile[tile_row][tile_column] = inside ? in[(size_t)row * width + column] : 0.0f;
    }
    __syncthreads();
    // END SOLUTION

    // BEGIN SOLUTION: if there is an output (y, x), add up its window from the tile and write it
    if (x < width && y < height) {
        const int size = 2 * radius + 1;
        float sum = 0.0f;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                sum += FILTER[i * size + j] * tile[ty + i][tx + j];
            }
        }
        out[(size_t)y * width + x] = sum;
    }
    // END SOLUTION
}
