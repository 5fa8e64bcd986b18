// Lab 6, best: C = A * B near the speed of the vendor's library, without tensor cores.
//
// `register_tiled` makes 16 products from 8 values. The limit is now instruction issue: a scheduler issues one
// instruction per cycle, and everything that is not a multiply-add takes a cycle from one. So:
//
//   - A thread computes 8 x 16 outputs: 128 multiply-adds for 24 values, six float4 loads from shared memory. The
//     values of the next step along k are loaded while this step's products are added.
//   - Its rows and columns come in groups of four, so that the 8 x 4 lanes of a warp read contiguous runs of shared
//     memory, without bank conflicts.
//   - A tile of B goes from global to shared memory by asynchronous copies (__pipeline_memcpy_async) of 16 bytes: no
//     register, no store. A tile of A is copied float by float, because it is transposed on the way: a_tile[k][row]
//     lets a thread read four rows at once. Two stages: the tiles of the next phase arrive while this one is computed,
//     and one barrier per phase is enough.
//   - Blocks of 64 threads, four on each multiprocessor: while one waits at its barrier, others compute.
//   - If n is not a multiple of 4, rows of B do not start at multiples of 16 bytes. Then B goes through registers,
//     with adjacent threads loading adjacent floats; the rest stays the same.
//
// Given:   a  m * k floats, row-major
//          b  k * n floats, row-major
// Write:   c  m * n floats
// Launch:  blocks of (TILE_M / ROWS) * (TILE_N / COLUMNS) threads, one dimension; grid ceil(n / TILE_N) by ceil(m /
//          TILE_M).
//
// Bound:   2 * m * n * k operations over 132 multiprocessors * 128 lanes * 2 * 1.98e9 = 66.9e12 per second. The book's
//          page "At the card's limit" has the measurements against cuBLAS. What is left are register bank conflicts,
//          which only a hand-made choice of registers avoids. Small products leave multiprocessors without work; there
//          COLUMNS 8, LANES_M 4 is faster.

#include <cuda_pipeline.h>

#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef STEP
#define STEP 8
#endif
#ifndef LANES_M
#define LANES_M 8  // lanes of a warp along m; the others are along n
#endif
#ifndef BLOCKS_PER_MULTIPROCESSOR
#define BLOCKS_PER_MULTIPROCESSOR 4
#endif
#ifndef ROWS
#define ROWS 8  // outputs per thread: ROWS x COLUMNS
#endif
#ifndef COLUMNS
#define COLUMNS 16
#endif
#define LANES_N (32 / LANES_M)
#define WARPS_N (TILE_N / (COLUMNS * LANES_N))
#define THREADS ((TILE_M / ROWS) * (TILE_N / COLUMNS))
#define PITCH_A (TILE_M + 4)                   // still a multiple of 16 bytes
#define A_COPIES (TILE_M * STEP / THREADS)     // floats of A that a thread copies each phase,
#define A_ROWS (THREADS / STEP)                // so many rows apart
#define B_FOURS (TILE_N * STEP / 4 / THREADS)  // float4 of B,
#define B_ROWS (4 * THREADS / TILE_N)          // so many rows apart
#define B_FLOATS (TILE_N * STEP / THREADS)     // the same float by float,
#define B_SPAN (TILE_N / THREADS)              // so many of each row

static_assert(TILE_N % THREADS == 0 && THREADS % STEP == 0 && B_FOURS >= 1 && STEP % 2 == 0,
              "tile and threads do not fit");

// ALIGNED: rows of B and C start at multiples of 16 bytes.
template <bool ALIGNED>
__device__ __forceinline__ void matmul_block(const float *__restrict__ a, const float *__restrict__ b,
                                             float *__restrict__ c, int m, int n, int k, float *a_tile, float *b_tile) {
    const int first_row = blockIdx.y * TILE_M;
    const int first_column = blockIdx.x * TILE_N;
    const int thread = threadIdx.x;
    const int lane = thread % 32;
    const int warp = thread / 32;
    // The first of the thread's rows and columns in the tile; the next group of four is 4 * LANES_M rows, or
    // 4 * LANES_N columns, further.
    const int row = warp / WARPS_N * (ROWS * LANES_M) + lane / LANES_N * 4;
    const int column = warp % WARPS_N * (COLUMNS * LANES_N) + lane % LANES_N * 4;

    // What the thread copies. Rows and columns outside the matrices repeat the last one: their products are not stored.
    const int a_p = thread % STEP;
    const int a_row = thread / STEP;
    const float *a_from[A_COPIES];
#pragma unroll
    for (int s = 0; s < A_COPIES; s++) {
        a_from[s] = a + (size_t)min(first_row + a_row + s * A_ROWS, m - 1) * k + a_p;
    }
    float *a_to = a_tile + a_p * PITCH_A + a_row;
    const int b_p = thread / (TILE_N / 4);
    const int b_column = thread % (TILE_N / 4) * 4;
    const float *b_from = b + (size_t)b_p * n + min(first_column + b_column, n - 4);
    float *b_to = b_tile + b_p * TILE_N + b_column;
    const float *b_single[B_SPAN];
#pragma unroll
    for (int s = 0; s < B_SPAN; s++) {
        b_single[s] = b + min(first_column + thread + s * THREADS, n - 1);
    }
    float b_held[ALIGNED ? 1 : B_FLOATS];

    const int phases = (k + STEP - 1) / STEP;
    const int whole = k / STEP;
    const size_t b_step = (size_t)STEP * n;

    // Starts the copies of a phase into a stage.
    auto copy = [&](int phase, int stage) {
        const int left = k - phase * STEP;
        if (phase < whole) {
#pragma unroll
            for (int s = 0; s < A_COPIES; s++) {
                __pipeline_memcpy_async(a_to + stage * STEP * PITCH_A + s * A_ROWS, a_from[s], 4);
                a_from[s] += STEP;
            }
            if (ALIGNED) {
#pragma unroll
                for (int s = 0; s < B_FOURS; s++) {
                    __pipeline_memcpy_async(b_to + (stage * STEP + s * B_ROWS) * TILE_N,
                                            b_from + (size_t)(s * B_ROWS) * n, 16);
                }
                b_from += b_step;
            } else {
#pragma unroll
                for (int s = 0; s < B_FLOATS; s++) {
                    b_held[s] = __ldg(b_single[s % B_SPAN] + (size_t)(s / B_SPAN) * n);
                }
#pragma unroll
                for (int s = 0; s < B_SPAN; s++) {
                    b_single[s] += b_step;
                }
            }
        } else {  // fewer than STEP steps are left, or none: 0 for the others
#pragma unroll
            for (int s = 0; s < A_COPIES; s++) {
                __pipeline_memcpy_async(a_to + stage * STEP * PITCH_A + s * A_ROWS, a_p < left ? a_from[s] : a, 4,
                                        a_p < left ? 0 : 4);
            }
            if (ALIGNED) {
#pragma unroll
                for (int s = 0; s < B_FOURS; s++) {
                    const bool exists = b_p + s * B_ROWS < left;
                    __pipeline_memcpy_async(b_to + (stage * STEP + s * B_ROWS) * TILE_N,
                                            exists ? b_from + (size_t)(s * B_ROWS) * n : b, 16, exists ? 0 : 16);
                }
            } else {
#pragma unroll
                for (int s = 0; s < B_FLOATS; s++) {
                    b_held[s] = s / B_SPAN < left ? __ldg(b_single[s % B_SPAN] + (size_t)(s / B_SPAN) * n) : 0.0f;
                }
            }
        }
        __pipeline_commit();
    };
    // Stores what `copy` left in registers.
    auto put = [&](int stage) {
        if (!ALIGNED) {
#pragma unroll
            for (int s = 0; s < B_FLOATS; s++) {
                b_tile[(stage * STEP + s / B_SPAN) * TILE_N + thread + s % B_SPAN * THREADS] = b_held[s];
            }
        }
    };
    float a_value[2][ROWS];
    float b_value[2][COLUMNS];
    auto load = [&](int stage, int p, int which) {
        const float *from_a = a_tile + (stage * STEP + p) * PITCH_A + row;
        const float *from_b = b_tile + (stage * STEP + p) * TILE_N + column;
#pragma unroll
        for (int i = 0; i < ROWS; i += 4) {
            *reinterpret_cast<float4 *>(&a_value[which][i]) = *reinterpret_cast<const float4 *>(from_a + i * LANES_M);
        }
#pragma unroll
        for (int j = 0; j < COLUMNS; j += 4) {
            *reinterpret_cast<float4 *>(&b_value[which][j]) = *reinterpret_cast<const float4 *>(from_b + j * LANES_N);
        }
    };

    float sum[ROWS][COLUMNS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
            sum[i][j] = 0.0f;
        }
    }
    copy(0, 0);
    put(0);
    __pipeline_wait_prior(0);
    __syncthreads();
    load(0, 0, 0);
    int stage = 0;
    for (int phase = 0; phase < phases; phase++) {
        const int other = 1 - stage;
#pragma unroll
        for (int p = 0; p < STEP; p++) {
            if (p == 0) {
                copy(phase + 1, other);
            }
            if (p < STEP - 1) {
                load(stage, p + 1, (p + 1) % 2);
            } else {  // all have read this stage's last values; the other stage is complete
                put(other);
                __pipeline_wait_prior(0);
                __syncthreads();
                load(other, 0, (p + 1) % 2);
            }
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) {
                    sum[i][j] += a_value[p % 2][i] * b_value[p % 2][j];
                }
            }
        }
        stage = other;
    }

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int c_row = first_row + row + i / 4 * 4 * LANES_M + i % 4;
        if (c_row >= m) {
            continue;
        }
#pragma unroll
        for (int j = 0; j < COLUMNS; j += 4) {
            const int c_column = first_column + column + j * LANES_N;
            float *to = c + (size_t)c_row * n + c_column;
            if (ALIGNED) {
                if (c_column < n) {
                    *reinterpret_cast<float4 *>(to) =
                        make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
                }
            } else {
#pragma unroll
                for (int q = 0; q < 4; q++) {
                    if (c_column + q < n) {
                        to[q] = sum[i][j + q];
                    }
                }
            }
        }
    }
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_MULTIPROCESSOR)
    matmul_best(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k) {
    __shared__ __align__(16) float a_tile[2 * STEP * PITCH_A];
    __shared__ __align__(16) float b_tile[2 * STEP * TILE_N];
    if (n % 4 == 0) {
        matmul_block<true>(a, b, c, m, n, k, a_tile, b_tile);
    } else {
        matmul_block<false>(a, b, c, m, n, k, a_tile, b_tile);
    }
}
