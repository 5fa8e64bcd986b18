// Lab 6, register_tiled (stretch): several outputs per thread.
//
// `tiled` reads two floats from shared memory for each multiply-add, and that is now its limit. Here each thread makes
// 4 x 4 outputs in registers: with 4 values of A and 4 of B it does 16 multiply-adds. A block of 16 x 16 threads makes
// TILE x TILE = 64 x 64 outputs, in phases of STEP = 16 along k. All loads are of four floats at a time (float4).
//
// a_tile holds rows of A, four adjacent values along k per float4; b_tile holds rows of B, four adjacent along n. No
// row is padded: shared memory serves a float4 to eight lanes at a time, and these read one row of A or adjacent B.
//
// Given:   a  m * k floats, row-major
//          b  k * n floats, row-major
// Write:   c  m * n floats
// Launch:  blocks of THREADS x THREADS threads, one for each TILE x TILE part of c.
//
// Note:    a float4 must be aligned to 16 bytes. The start of every row of a matrix is aligned only if the row's length
//          is a multiple of 4; otherwise load one by one. load4 and store4 are for you to finish.
//
// Checks:  every element correct, for any m, n, k; no race. Only the outputs are written.
// Gates:   fewer_loads        load no more than tiles of 64 x 64 would (floats loaded: at most 1.5x that)
//          vector_loads       load no more often than float4 and tiles of 64 x 64 would (global loads: at most 1.5x
//                             that)
//          no_bank_conflicts  avoid bank conflicts (conflicts: at most 0.25x the wavefronts that 4 x 4 outputs per
//                             thread need)
//          register_reuse     read shared memory as often as 4 x 4 outputs per thread need (shared loads: at most 2.1x
//                             that)
//          in_registers       keep your array in registers (local accesses: none)
//          coalesced_stores   store each element of c once (floats stored: at most 1.5x that)
//          technique          at least 60 % of `c` comes from elements of each factor that another thread put in shared
//                             memory

#define THREADS 16
#define TILE 64
#define STEP 16

// Four adjacent elements of row `row`, starting at `column` (a multiple of 4); 0 outside the matrix.
__device__ float4 load4(const float *__restrict__ matrix, int rows, int columns, int row, int column) {
    float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    // TODO (11 lines): one float4 load if all four exist and rows are aligned; otherwise one by one, those that exist
    return four;
}

// The same for a store.
__device__ void store4(float *__restrict__ matrix, int rows, int columns, int row, int column, float4 four) {
    // TODO (11 lines): one float4 store if all four exist and rows are aligned; otherwise one by one, those that exist
}

// sum + scale * four, component by component.
__device__ float4 multiply_add(float scale, float4 four, float4 sum) {
    return make_float4(sum.x + scale * four.x, sum.y + scale * four.y, sum.z + scale * four.z,
                       sum.w + scale * four.w);
}

__global__ void matmul_register_tiled(const float *__restrict__ a, const float *__restrict__ b,
                                      float *__restrict__ c, int m, int n, int k) {
    __shared__ float4 a_tile[TILE][STEP / 4];
    __shared__ float4 b_tile[STEP][TILE / 4];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int thread = ty * THREADS + tx;
    const int first_row = blockIdx.y * TILE;
    const int first_column = blockIdx.x * TILE;

    float4 sums[4];  // row i of this thread's outputs; an array with constant indices stays in registers
#pragma unroll
    for (int i = 0; i < 4; i++) {
        sums[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }

    for (int start = 0; start < k; start += STEP) {
        // TODO (7 lines): each thread loads one float4 of each tile; wait

        // TODO (16 lines): for every four steps along k: four float4 of B, four rows of A, 64 multiply-adds; wait
    }

    // TODO (4 lines): store the four rows
}
