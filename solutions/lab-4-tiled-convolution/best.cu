// Lab 4, best: the convolution with as few instructions beside its multiply-adds as possible.
//
//   out[y][x] = sum over i, j of FILTER[i][j] * in[y - radius + i][x - radius + j];  cells outside the image are 0
//
// A 7 x 7 filter needs 49 multiply-adds an output for 8 bytes. On an H200 (67e12 operations and 4e12 bytes a second)
// the operations take three quarters as long as the bytes. So there is no room for an instruction that is neither a
// multiply-add nor a wide load, and no time in which one waits for the other:
//
//   - A thread makes four neighbouring columns of a strip of ROWS rows, walking down. Each input row is loaded once.
//   - An input row contributes to 2 * radius + 1 output rows. Their sums stay in registers: sum[i] is the sum of the
//     output row to which the next input row contributes with row i of the filter. From row to row the sums move on
//     by one, and that costs nothing, because a multiply-add may write another register than it adds to.
//   - The first and the last 2 * radius input rows of a strip contribute to fewer output rows; they are done without the
//     products that nobody needs.
//   - The taps are operands of the multiply-adds, straight from constant memory.
//
// Rows come to a thread in one of two ways. `direct`: three float4 around its columns, AHEAD rows before they are used;
// neighbours' loads hit the L1 cache. With 7 x 7 the registers of rows on their way leave room for 20 warps a
// multiprocessor, too few. So `ring`: each warp copies its rows, 128 columns and the sides, asynchronously into a ring in
// shared memory, pairs of rows ahead, and takes its window from there. That is 24 warps, no registers for waiting rows,
// and four things that make it work:
//
//   - Copies of 16 bytes are only joined to wide requests if source and destination have the same place within 128
//     bytes. So a row's 128 columns begin at a multiple of 128 bytes in shared memory too, and the sides lie around it.
//   - Two rows a turn: one wait, one copy of the sides of both.
//   - All branches depend on blockIdx alone. Otherwise the compiler does not know that a warp stays together at
//     __syncwarp, and may keep no tap in a uniform register across it.
//   - Neighbouring strips share 2 * radius rows, and a strip takes too long for them to stay in the L2 cache. So every
//     second strip is walked upwards: neighbours read what they share at the same time.
//
// A warp inside the image checks nothing; at the edge each load and store is checked. If the width is no multiple of 4,
// rows do not start at multiples of 16 bytes, and all load float by float, directly.
//
// Given:   in      height * width floats, row after row
//          FILTER  (2 * radius + 1) squared floats, row after row; radius is 1 to MAX_RADIUS
// Write:   out     height * width floats
// Launch:  radius 3: blocks of 32 x WARPS_3 threads, grid ceil(width / (128 * WARPS_3)) by ceil(height / ROWS_3);
//          else blocks of 32 x WARPS, grid ceil(width / 128) by ceil(height / (WARPS * rows)), where `rows` is ROWS_1,
//          ROWS_2 for radius 1, 2 and ROWS_WIDE beyond 3. conv2d_best_radius<RADIUS> is the kernel for one radius and
//          the one to prefer; conv2d_best chooses inside, and so every radius pays for the registers of the widest.
//
// Bound:   the larger of 2 * 4 * height * width bytes over the bandwidth of a copy, and 2 * size * size * height *
//          width operations over 67e12 a second; the book's page "At the card's limit" has what was measured. Mind how
//          many strips the card holds at once: a few more, and they run alone at the end.

#include <cuda_pipeline.h>

#ifndef WARPS
#define WARPS 4
#endif
#ifndef ROWS_1
#define ROWS_1 4
#endif
#ifndef ROWS_2
#define ROWS_2 4
#endif
#ifndef RING_3
#define RING_3 1
#endif
#ifndef WARPS_3
#define WARPS_3 8
#endif
#ifndef PAIRS_3
#define PAIRS_3 4
#endif
#ifndef ROWS_3
#define ROWS_3 32
#endif
#ifndef ROWS_WIDE
#define ROWS_WIDE 32
#endif
#ifndef AHEAD_3
#define AHEAD_3 1
#endif
#define MAX_RADIUS 7

__constant__ float FILTER[(2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1)];

// How a radius is worked off.
template <int RADIUS>
struct Plan {
    static constexpr int SIZE = 2 * RADIUS + 1;
    static constexpr int HALO = (RADIUS + 3) / 4 * 4;  // columns on each side, in whole float4
    static constexpr int WINDOW = 4 + 2 * HALO;
    static constexpr int ROWS = RADIUS == 1 ? ROWS_1 : RADIUS == 2 ? ROWS_2 : RADIUS == 3 ? ROWS_3 : ROWS_WIDE;
    static constexpr int AHEAD = RADIUS == 3 ? AHEAD_3 : 1;
    static constexpr bool EXACT = RADIUS <= 3;  // leave out the products of the first and last rows nobody needs
    static constexpr bool RING = RADIUS == 3 && RING_3;  // through shared memory
    static constexpr int WARPS_OF_BLOCK = RING ? WARPS_3 : WARPS;
    static constexpr int BLOCKS = RADIUS == 1 ? 8 : RADIUS == 2 ? 6 : RING ? 24 / WARPS_3 : RADIUS == 3 ? 5 : 4;
};

constexpr int PITCH = 40;                           // float4 from row to row of a ring: 32, sides, and to 128 bytes
constexpr int RING_END = PAIRS_3 * 2 * PITCH;       // float4 of its rows
constexpr int RING_SIZE = RING_3 ? RING_END + 8 : 1;  // with what lies before the first row

// How a warp reads and writes: INSIDE checks nothing; EDGE checks each float4; SINGLE checks each float.
enum Way { INSIDE, EDGE, SINGLE };

// The row's columns x - HALO to x + 3 + HALO, 0 outside the image; `from` is column x.
template <int RADIUS, Way WAY>
__device__ __forceinline__ void load_window(float (&window)[Plan<RADIUS>::WINDOW], const float *from, bool row_exists,
                                            int width, int x) {
    constexpr int HALO = Plan<RADIUS>::HALO;
    if (WAY == SINGLE) {
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
        if (WAY == INSIDE || (row_exists && column >= 0 && column < width)) {
            four = __ldg(reinterpret_cast<const float4 *>(from - HALO + q));
        }
        window[q] = four.x;
        window[q + 1] = four.y;
        window[q + 2] = four.z;
        window[q + 3] = four.w;
    }
}

// Adds an input row to the output rows to which it contributes with filter rows first to last, and moves the sums on.
// The row that gets filter row 2 * RADIUS is complete: `done`. UP: the strip is walked upwards, so the filter is too.
template <int RADIUS, bool UP = false>
__device__ __forceinline__ void add_row(const float (&window)[Plan<RADIUS>::WINDOW],
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
                    next[c] += FILTER[(UP ? SIZE - 1 - i : i) * SIZE + j] * window[Plan<RADIUS>::HALO - RADIUS + j + c];
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

template <Way WAY>
__device__ __forceinline__ void store_four(float *__restrict__ to, bool row_exists, int width, int x,
                                           const float (&done)[4]) {
    if (WAY == SINGLE) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            if (row_exists && x + c < width) {
                to[c] = done[c];
            }
        }
    } else if (WAY == INSIDE || (row_exists && x < width)) {
        __stcs(reinterpret_cast<float4 *>(to), make_float4(done[0], done[1], done[2], done[3]));
    }
}

// Columns x to x + 3 of rows y to y + ROWS - 1.
template <int RADIUS, Way WAY>
__device__ __forceinline__ void direct(const float *__restrict__ in, float *__restrict__ out, int height, int width,
                                      int x,
                                      int y) {
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
        load_window<RADIUS, WAY>(window[buffer], from, row >= 0 && row < height, width, x);
        from += width;
        row++;
    };
    auto store = [&](int output) {
        store_four<WAY>(to, output < height - y, width, x, done);
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
            add_row<RADIUS>(window[t % BUFFERS], sum, done, 0, t);
        }
#pragma unroll 1
        for (int r = 0; r < P::ROWS - BORDER; r += BUFFERS) {
#pragma unroll
            for (int u = 0; u < BUFFERS; u++) {
                load((BORDER + u + P::AHEAD) % BUFFERS);
                add_row<RADIUS>(window[(BORDER + u) % BUFFERS], sum, done, 0, BORDER);
                store(r + u);
            }
        }
#pragma unroll
        for (int e = 0; e < BORDER; e++) {
            if (e + P::AHEAD < BORDER) {
                load((BORDER + e + P::AHEAD) % BUFFERS);
            }
            add_row<RADIUS>(window[(BORDER + e) % BUFFERS], sum, done, e + 1, BORDER);
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
                add_row<RADIUS>(window[u], sum, done, 0, BORDER);
                if (t + u >= BORDER) {
                    store(t + u - BORDER);
                }
            }
        }
    }
}

// The same through `rows`, the ring of the warp. INSIDE says that the image has all rows, not that it has all columns.
template <int RADIUS, Way WAY, bool UP>
__device__ __forceinline__ void ring(float4 *rows, const float *__restrict__ in, float *__restrict__ out, int height,
                                     int width, int x0, int y) {
    using P = Plan<RADIUS>;
    constexpr int SIDE = P::HALO / 4, BORDER = 2 * RADIUS, PAIR = 2 * PITCH;
    static_assert(P::ROWS % 2 == 0 && P::ROWS >= BORDER, "a strip is an even number of rows, at least 2 * radius");
    const int lane = threadIdx.x, x = x0 + 4 * lane;
    const int step = UP ? -width : width;
    // The first 4 * SIDE lanes copy the sides of a pair too.
    const int side_row = lane / (2 * SIDE), side = lane % (2 * SIDE);
    const int side_at = side < SIDE ? side - SIDE : 32 + side - SIDE;  // float4 from the row's first
    const int side_x = x0 + 4 * side_at;
    const bool inside = x < width;
    const bool copies_side = lane < 4 * SIDE && side_x >= 0 && side_x < width;
    int row = UP ? y + P::ROWS - 1 + RADIUS : y - RADIUS;  // the next to copy
    int out_row = UP ? y + P::ROWS - 1 : y;                // the next to store
    const float *from = in + ((long long)row * width + x);
    const float *from_side = from + side_row * step + (side_x - x);
    float *to = out + ((long long)out_row * width + x);
    float window[P::WINDOW];
    float sum[P::SIZE][4];
    float done[4];

    auto copy_pair = [&](int at) {
        if (WAY == INSIDE) {
            if (inside) {
                __pipeline_memcpy_async(rows + at + lane, from, 16);
                __pipeline_memcpy_async(rows + at + PITCH + lane, from + step, 16);
            }
            if (copies_side) {
                __pipeline_memcpy_async(rows + at + side_row * PITCH + side_at, from_side, 16);
            }
        } else {
            // The last argument: so many bytes are 0 and not read.
            const int zeros = row >= 0 && row < height ? 0 : 16;
            const int zeros_next = row + 1 >= 0 && row + 1 < height ? 0 : 16;
            if (inside) {
                __pipeline_memcpy_async(rows + at + lane, from, 16, zeros);
                __pipeline_memcpy_async(rows + at + PITCH + lane, from + step, 16, zeros_next);
            }
            if (copies_side) {
                __pipeline_memcpy_async(rows + at + side_row * PITCH + side_at, from_side, 16,
                                        side_row == 0 ? zeros : zeros_next);
            }
        }
        __pipeline_commit();
        row += UP ? -2 : 2;
        from += 2 * step;
        from_side += 2 * step;
    };
    auto add = [&](int at, int first, int last) {
#pragma unroll
        for (int q = 0; q < P::WINDOW; q += 4) {
            const float4 four = rows[at + lane + q / 4 - SIDE];
            window[q] = four.x;
            window[q + 1] = four.y;
            window[q + 2] = four.z;
            window[q + 3] = four.w;
        }
        add_row<RADIUS, UP>(window, sum, done, first, last);
    };
    auto store = [&]() {
        if (inside && (WAY == INSIDE || out_row < height)) {
            __stcs(reinterpret_cast<float4 *>(to), make_float4(done[0], done[1], done[2], done[3]));
        }
        to += step;
        out_row += UP ? -1 : 1;
    };

    // Columns outside the image are copied by nobody and stay 0.
    for (int i = lane - SIDE; i < RING_END; i += 32) {
        rows[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    __syncwarp();
#pragma unroll
    for (int p = 0; p < PAIRS_3 - 1; p++) {
        copy_pair(p * PAIR);
    }
    int now = 0, before = RING_END - PAIR;  // the pair in use, and the one that was
    auto begin_pair = [&](bool more) {
        __pipeline_wait_prior(PAIRS_3 - 2);
        __syncwarp();  // the pair is there, and no lane reads the one before
        if (more) {
            copy_pair(before);
        } else {
            __pipeline_commit();
        }
    };
    auto end_pair = [&]() {
        before = now;
        now = now + PAIR == RING_END ? 0 : now + PAIR;
    };
#pragma unroll 1
    for (int t = 0; t < BORDER; t += 2) {
        begin_pair(true);
        add(now, 0, t);
        add(now + PITCH, 0, t + 1);
        end_pair();
    }
#pragma unroll 1
    for (int t = BORDER; t < P::ROWS; t += 2) {
        begin_pair(true);
        add(now, 0, BORDER);
        store();
        add(now + PITCH, 0, BORDER);
        store();
        end_pair();
    }
#pragma unroll 1
    for (int t = 0; t < BORDER; t += 2) {
        begin_pair(t / 2 + PAIRS_3 - 1 < RADIUS);
        add(now, t + 1, BORDER);
        store();
        add(now + PITCH, t + 2, BORDER);
        store();
        end_pair();
    }
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_rings(float4 *rows, const float *__restrict__ in, float *__restrict__ out,
                                             int height, int width) {
    using P = Plan<RADIUS>;
    const int x0 = (blockIdx.x * WARPS_3 + threadIdx.y) * 128;
    const int y = blockIdx.y * P::ROWS;
    if (width % 4 != 0) {
        direct<RADIUS, SINGLE>(in, out, height, width, x0 + 4 * threadIdx.x, y);
    } else if (y < RADIUS || y + P::ROWS + RADIUS > height) {
        ring<RADIUS, EDGE, false>(rows, in, out, height, width, x0, y);
    } else if (blockIdx.y % 2 == 0) {
        ring<RADIUS, INSIDE, false>(rows, in, out, height, width, x0, y);
    } else {
        ring<RADIUS, INSIDE, true>(rows, in, out, height, width, x0, y);
    }
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_thread(const float *__restrict__ in, float *__restrict__ out, int height,
                                              int width) {
    using P = Plan<RADIUS>;
    const int x0 = blockIdx.x * 128;  // the warp's first column
    const int x = x0 + 4 * threadIdx.x;
    const int y = (blockIdx.y * WARPS + threadIdx.y) * P::ROWS;
    if (y >= height) {
        return;
    }
    if (width % 4 != 0) {
        direct<RADIUS, SINGLE>(in, out, height, width, x, y);
    } else if (x0 >= P::HALO && x0 + 128 + P::HALO <= width && y >= RADIUS && y + P::ROWS + RADIUS <= height) {
        direct<RADIUS, INSIDE>(in, out, height, width, x, y);
    } else {
        direct<RADIUS, EDGE>(in, out, height, width, x, y);
    }
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_block(float4 (&rings)[WARPS_3][RING_SIZE], const float *__restrict__ in,
                                             float *__restrict__ out, int height, int width) {
    if constexpr (Plan<RADIUS>::RING) {
        conv2d_rings<RADIUS>(&rings[threadIdx.y][8], in, out, height, width);
    } else {
        conv2d_thread<RADIUS>(in, out, height, width);
    }
}

template <int RADIUS>
__global__ void __launch_bounds__(32 * Plan<RADIUS>::WARPS_OF_BLOCK, Plan<RADIUS>::BLOCKS)
    conv2d_best_radius(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ __align__(128) float4 rings[WARPS_3][RING_SIZE];  // none where it is not used
    conv2d_block<RADIUS>(rings, in, out, height, width);
}

__global__ void __launch_bounds__(32 * (WARPS > WARPS_3 ? WARPS : WARPS_3), 2)
    conv2d_best(const float *__restrict__ in, float *__restrict__ out, int height, int width, int radius) {
    __shared__ __align__(128) float4 rings[WARPS_3][RING_SIZE];
    switch (radius) {
        case 1: conv2d_block<1>(rings, in, out, height, width); break;
        case 2: conv2d_block<2>(rings, in, out, height, width); break;
        case 3: conv2d_block<3>(rings, in, out, height, width); break;
        case 4: conv2d_block<4>(rings, in, out, height, width); break;
        case 5: conv2d_block<5>(rings, in, out, height, width); break;
        case 6: conv2d_block<6>(rings, in, out, height, width); break;
        case 7: conv2d_block<7>(rings, in, out, height, width); break;
    }
}
