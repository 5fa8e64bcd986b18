// Lab 2, best: the convolution with as few instructions besides its multiply-adds as possible.
//
//   out[y][x] = sum over i, j of filter[i][j] * in[y - radius + i][x - radius + j];  cells outside the image are 0
//
// A 7 x 7 filter needs 49 multiply-adds per output for 8 bytes. On an H200 (67e12 operations and 4e12 bytes per second)
// the operations take three quarters as long as the bytes. So there is no room for an instruction that is neither a
// multiply-add nor a wide load, and no time in which one waits for the other:
//
//   - A thread computes four adjacent columns of a strip of ROWS rows, walking down. Each input row is loaded once, as
//     three float4 around its columns, AHEAD rows before it is used. Neighbours' loads hit the L1 cache.
//   - An input row contributes to 2 * radius + 1 output rows. Their sums stay in registers: sum[i] is the sum of the
//     output row to which the next input row contributes with row i of the filter. From row to row the sums move on
//     by one, and that costs nothing, because a multiply-add may write a different register than it adds to. The loop
//     is AHEAD + 1 rows long, so its code stays in the instruction cache.
//   - The first and the last 2 * radius input rows of a strip contribute to fewer output rows; they are written out
//     without the unused products.
//   - A block copies the filter to shared memory. Up to radius 3 each thread keeps all taps in registers; beyond that,
//     it reads them from there. (In constant memory they would be operands of the multiply-adds and take no register:
//     lab 4's `best` is this kernel with constant memory.)
//   - A warp inside the image checks nothing; warps at the edge check each load and store. If the width is not a
//     multiple of 4, rows do not start at multiples of 16 bytes, and all warps load float by float.
//
//   of 206 instructions per row, 7 x 7:  196 multiply-adds, 3 loads, 1 store, 6 for addresses and the loop
//
// Given:   in      height * width floats, row-major
//          filter  (2 * radius + 1) squared floats, row-major; radius is 1 to 7
// Write:   out     height * width floats
// Launch:  blocks of 32 x WARPS threads; grid ceil(width / 128) by ceil(height / (WARPS * rows)), where `rows` is
//          ROWS_1, ROWS_2, ROWS_3 for radius 1, 2, 3 and ROWS_WIDE beyond. conv2d_best_radius<RADIUS> is the kernel
//          for one radius and the preferred one; conv2d_best chooses inside, and so every radius pays for the
//          registers of the widest.
//
// Bound:   the larger of 2 * 4 * height * width bytes over the bandwidth of a copy, and 2 * size * size * height *
//          width operations over 67e12 per second; the book's page "At the card's limit" has the measurements. The
//          taps take registers that more warps would need.

#ifndef WARPS
#define WARPS 4
#endif
#ifndef ROWS_1
#define ROWS_1 4
#endif
#ifndef ROWS_2
#define ROWS_2 4
#endif
#ifndef ROWS_3
#define ROWS_3 12
#endif
#ifndef ROWS_WIDE
#define ROWS_WIDE 32
#endif
#ifndef AHEAD_3
#define AHEAD_3 1
#endif
#define MAX_RADIUS 7

// How a radius is processed.
template <int RADIUS>
struct Plan {
    static constexpr int SIZE = 2 * RADIUS + 1;
    static constexpr int HALO = (RADIUS + 3) / 4 * 4;  // columns on each side, in whole float4
    static constexpr int WINDOW = 4 + 2 * HALO;
    static constexpr int ROWS = RADIUS == 1 ? ROWS_1 : RADIUS == 2 ? ROWS_2 : RADIUS == 3 ? ROWS_3 : ROWS_WIDE;
    static constexpr int AHEAD = RADIUS == 3 ? AHEAD_3 : 1;
    static constexpr bool EXACT = RADIUS <= 3;  // leave out the unused products of the first and last rows
    static constexpr int BLOCKS = RADIUS == 1 ? 8 : RADIUS == 2 ? 6 : 4;
};

// How a warp reads and writes: INSIDE checks nothing; EDGE checks each float4; SINGLE checks each float. It is an
// argument of functions, not of templates: all of them are inlined, so it is a constant either way.
enum Way { INSIDE, EDGE, SINGLE };

// The row's columns x - HALO to x + 3 + HALO, 0 outside the image; `from` is column x.
template <int RADIUS>
__device__ __forceinline__ void load_window(Way way, float (&window)[Plan<RADIUS>::WINDOW], const float *from,
                                            bool row_exists, int width, int x) {
    constexpr int HALO = Plan<RADIUS>::HALO;
    if (way == SINGLE) {
#pragma unroll
        for (int q = HALO - RADIUS; q < HALO + 4 + RADIUS; q++) {
            const int column = x - HALO + q;
            window[q] = row_exists && column >= 0 && column < width ? __ldg(from - HALO + q) : 0.0f;
        }
        return;
    }
#pragma unroll
    for (int q = 0; q < Plan<RADIUS>::WINDOW; q += 4) {
        const int column = x - HALO + q;
        float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (way == INSIDE || (row_exists && column >= 0 && column < width)) {
            four = __ldg(reinterpret_cast<const float4 *>(from - HALO + q));
        }
        window[q] = four.x;
        window[q + 1] = four.y;
        window[q + 2] = four.z;
        window[q + 3] = four.w;
    }
}

// Adds an input row to the output rows to which it contributes with filter rows first to last, and moves the sums on.
// The row that gets filter row 2 * RADIUS is complete: `done`.
template <int RADIUS>
__device__ __forceinline__ void add_row(const float (&window)[Plan<RADIUS>::WINDOW], const float *tap,
                                        float (&sum)[Plan<RADIUS>::SIZE][4],
                                        float (&done)[4], int first, int last) {
    constexpr int SIZE = Plan<RADIUS>::SIZE;
#pragma unroll
    for (int i = SIZE - 1; i >= 0; i--) {
        if (i >= first && i <= last) {
            float next[4];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                next[c] = i == 0 ? 0.0f : sum[i][c];
            }
#pragma unroll
            for (int j = 0; j < SIZE; j++) {
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    next[c] += tap[i * SIZE + j] * window[Plan<RADIUS>::HALO - RADIUS + j + c];
                }
            }
#pragma unroll
            for (int c = 0; c < 4; c++) {
                if (i == SIZE - 1) {
                    done[c] = next[c];
                } else {
                    sum[i + 1][c] = next[c];
                }
            }
        }
    }
}

__device__ __forceinline__ void store_four(Way way, float *__restrict__ to, bool row_exists, int width, int x,
                                           const float (&done)[4]) {
    if (way == SINGLE) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            if (row_exists && x + c < width) {
                to[c] = done[c];
            }
        }
    } else if (way == INSIDE || (row_exists && x < width)) {
        __stcs(reinterpret_cast<float4 *>(to), make_float4(done[0], done[1], done[2], done[3]));
    }
}

// Columns x to x + 3 of rows y to y + ROWS - 1.
template <int RADIUS>
__device__ __forceinline__ void strip(Way way, const float *__restrict__ in, const float *tap, float *__restrict__ out,
                                      int height, int width, int x, int y) {
    using P = Plan<RADIUS>;
    constexpr int BORDER = 2 * RADIUS;
    constexpr int BUFFERS = P::AHEAD + 1;
    float window[BUFFERS][P::WINDOW];
    float sum[P::SIZE][4];
    float done[4];
    const float *from = in + ((long long)(y - RADIUS) * width + x);
    float *to = out + (size_t)y * width + x;
    int row = y - RADIUS;  // the next to load

    auto load = [&](int buffer) {
        load_window<RADIUS>(way, window[buffer], from, row >= 0 && row < height, width, x);
        from += width;
        row++;
    };
    auto store = [&](int output) {
        store_four(way, to, output < height - y, width, x, done);
        to += width;
    };

#pragma unroll
    for (int t = 0; t < P::AHEAD; t++) {
        load(t);
    }
    if (P::EXACT) {
        static_assert(!P::EXACT || (P::ROWS - BORDER) % BUFFERS == 0, "rows of the loop: a multiple of AHEAD + 1");
        static_assert(!P::EXACT || P::ROWS >= BORDER, "a strip is at least 2 * radius rows");
#pragma unroll
        for (int t = 0; t < BORDER; t++) {
            load((t + P::AHEAD) % BUFFERS);
            add_row<RADIUS>(window[t % BUFFERS], tap, sum, done, 0, t);
        }
#pragma unroll 1
        for (int r = 0; r < P::ROWS - BORDER; r += BUFFERS) {
#pragma unroll
            for (int u = 0; u < BUFFERS; u++) {
                load((BORDER + u + P::AHEAD) % BUFFERS);
                add_row<RADIUS>(window[(BORDER + u) % BUFFERS], tap, sum, done, 0, BORDER);
                store(r + u);
            }
        }
#pragma unroll
        for (int e = 0; e < BORDER; e++) {
            if (e + P::AHEAD < BORDER) {
                load((BORDER + e + P::AHEAD) % BUFFERS);
            }
            add_row<RADIUS>(window[(BORDER + e) % BUFFERS], tap, sum, done, e + 1, BORDER);
            store(P::ROWS - BORDER + e);
        }
    } else {
        static_assert(P::EXACT || (P::ROWS + BORDER) % BUFFERS == 0, "rows of a strip: a multiple of AHEAD + 1");
#pragma unroll
        for (int i = 0; i < P::SIZE; i++) {
            sum[i][0] = sum[i][1] = sum[i][2] = sum[i][3] = 0.0f;
        }
#pragma unroll 1
        for (int t = 0; t < P::ROWS + BORDER; t += BUFFERS) {
#pragma unroll
            for (int u = 0; u < BUFFERS; u++) {
                if (t + u + P::AHEAD < P::ROWS + BORDER) {
                    load((u + P::AHEAD) % BUFFERS);
                }
                add_row<RADIUS>(window[u], tap, sum, done, 0, BORDER);
                if (t + u >= BORDER) {
                    store(t + u - BORDER);
                }
            }
        }
    }
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_thread(const float *__restrict__ in, const float *tap, float *__restrict__ out,
                                              int height, int width) {
    using P = Plan<RADIUS>;
    const int x0 = blockIdx.x * 128;  // the warp's first column
    const int x = x0 + 4 * threadIdx.x;
    const int y = (blockIdx.y * WARPS + threadIdx.y) * P::ROWS;
    if (y >= height) {
        return;
    }
    if (width % 4 != 0) {
        strip<RADIUS>(SINGLE, in, tap, out, height, width, x, y);
    } else if (x0 >= P::HALO && x0 + 128 + P::HALO <= width && y >= RADIUS && y + P::ROWS + RADIUS <= height) {
        strip<RADIUS>(INSIDE, in, tap, out, height, width, x, y);
    } else {
        strip<RADIUS>(EDGE, in, tap, out, height, width, x, y);
    }
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_block(const float *__restrict__ in, const float *__restrict__ filter,
                                             float *__restrict__ out, int height, int width, float4 *shared_filter) {
    constexpr int TAPS = Plan<RADIUS>::SIZE * Plan<RADIUS>::SIZE;
    constexpr int FOURS = (TAPS + 3) / 4;
    float *shared_tap = reinterpret_cast<float *>(shared_filter);
    for (int t = threadIdx.y * 32 + threadIdx.x; t < 4 * FOURS; t += 32 * WARPS) {
        shared_tap[t] = t < TAPS ? filter[t] : 0.0f;
    }
    __syncthreads();
    if (RADIUS <= 3) {
        float tap[4 * FOURS];
#pragma unroll
        for (int q = 0; q < FOURS; q++) {
            const float4 four = shared_filter[q];
            tap[4 * q] = four.x;
            tap[4 * q + 1] = four.y;
            tap[4 * q + 2] = four.z;
            tap[4 * q + 3] = four.w;
        }
        conv2d_thread<RADIUS>(in, tap, out, height, width);
    } else {
        conv2d_thread<RADIUS>(in, shared_tap, out, height, width);
    }
}

template <int RADIUS>
__global__ void __launch_bounds__(32 * WARPS, Plan<RADIUS>::BLOCKS)
    conv2d_best_radius(const float *__restrict__ in, const float *__restrict__ filter, float *__restrict__ out,
                       int height, int width) {
    __shared__ float4 shared_filter[(Plan<RADIUS>::SIZE * Plan<RADIUS>::SIZE + 3) / 4];
    conv2d_block<RADIUS>(in, filter, out, height, width, shared_filter);
}

__global__ void __launch_bounds__(32 * WARPS, 4)
    conv2d_best(const float *__restrict__ in, const float *__restrict__ filter, float *__restrict__ out, int height,
                int width, int radius) {
    __shared__ float4 shared_filter[((2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1) + 3) / 4];
    switch (radius) {
        case 1: conv2d_block<1>(in, filter, out, height, width, shared_filter); break;
        case 2: conv2d_block<2>(in, filter, out, height, width, shared_filter); break;
        case 3: conv2d_block<3>(in, filter, out, height, width, shared_filter); break;
        case 4: conv2d_block<4>(in, filter, out, height, width, shared_filter); break;
        case 5: conv2d_block<5>(in, filter, out, height, width, shared_filter); break;
        case 6: conv2d_block<6>(in, filter, out, height, width, shared_filter); break;
        case 7: conv2d_block<7>(in, filter, out, height, width, shared_filter); break;
    }
}
