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
// Gates:   fewer_loads        load no more than tiles of 8 x 8 outputs would (floats loaded: at most 1.5x that)
//          loads_once         load each cell of your tiles once (floats loaded: at most 1.5x that)
//          through_shared     read the window from shared memory (shared loads: at least 1 per four cells of the
//                             window)
//          shared_wavefronts  read each cell of the window from shared memory once (wavefronts: at most 3x that)
//          coalesced_stores   store each output once (floats stored: at most 1.5x that)
//          technique          at least 50 % of `out` comes from image cells that another thread put in shared memory

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
