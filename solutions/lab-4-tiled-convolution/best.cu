// Lab 4, best: the convolution with as few instructions beside its multiply-adds as possible.
//
//   out[y][x] = sum over i, j of FILTER[i][j] * in[y - radius + i][x - radius + j];  cells outside the image are 0
//
// The fewer instructions beside multiply-adds and wide loads, the better:
//
//   - A thread makes four neighbouring columns of a strip of rows, walking down. Each input row is loaded once.
//   - An input row contributes to 2 * radius + 1 output rows. Their sums stay in registers: sum[i] is the sum of the
//     output row to which the next input row contributes with row i of the filter. From row to row the sums move on
//     by one, and that costs nothing, because a multiply-add may write another register than it adds to.
//   - The first and the last 2 * radius input rows of a strip contribute to fewer output rows; they are done without
//     the products that nobody needs.
//   - The taps are operands of the multiply-adds, straight from constant memory.
//
// `direct` loads three float4 around a thread's columns, AHEAD rows before they are used; neighbours' loads hit the L1
// cache.
//
// A 7 x 7 filter needs 49 multiply-adds an output for 8 bytes. On an H200 (67e12 operations and 4e12 bytes a second)
// they take three quarters as long as the bytes. And the copy alone draws nearly all the power that the card may draw:
// what is computed beside it lowers the clock. So radius 3 goes another way, `walk`:
//
//   - 41 multiply-adds and additions instead of 49: `Fast` makes two output rows of two input rows x0, x1 by the
//     two-parallel fast FIR algorithm (after S. Winograd; K. K. Parhi, VLSI Digital Signal Processing Systems, 1999,
//     chapter 9). With E and O, the filter's even and odd rows, it takes E * x0, O * x1 and (E + O) * (x0 + x1): 4 + 3
//     + 4 rows of products. The first two make one output row; the third less both makes the other.
//   - Rows come through a ring in shared memory, copied asynchronously, pairs of rows ahead: rows on their way need no
//     registers. The warps of a block lie side by side and share the ring: none copies its neighbours' columns.
//   - Copies of 16 bytes are only joined to wide requests if source and destination have the same place within 128
//     bytes. So a row's columns begin at a multiple of 128 bytes in shared memory too.
//   - All branches depend on blockIdx alone. Otherwise the compiler does not know that a warp stays together at
//     a barrier, and may keep no tap in a uniform register across it.
//   - Neighbouring strips share 2 * radius rows, and a strip takes too long for them to stay in the L2 cache. So every
//     second strip is walked upwards: neighbours read what they share at the same time.
//   - Long strips load fewer rows twice, but at the end of the launch many multiprocessors would wait for the last of
//     them. So the image's last LAST_3 rows are in short strips.
//
// `walk` pays with a little accuracy, and an infinity or NaN in the image spoils one more row of outputs than the
// filter reaches.
//
// A warp inside the image checks nothing; at the edge each load and store is checked. If the width is no multiple of 4,
// rows do not start at multiples of 16 bytes, and all load float by float, directly.
//
// Given:   in      height * width floats, row after row
//          FILTER  (2 * radius + 1) squared floats, row after row; radius is 1 to MAX_RADIUS
// Write:   out     height * width floats
// Launch:  radius 3: blocks of 32 x WARPS_3 threads, grid ceil(width / (128 * WARPS_3)) by
//          long + ceil((height - long * ROWS_3) / ROWS_3_LAST), where long = max(0, (height - LAST_3) / ROWS_3);
//          else blocks of 32 x WARPS, grid ceil(width / 128) by ceil(height / (WARPS * rows)), where `rows` is ROWS_1,
//          ROWS_2 for radius 1, 2 and ROWS_WIDE beyond 3. conv2d_best_radius<RADIUS> is the kernel for one radius and
//          the one to prefer; conv2d_best chooses inside, and so every radius pays for the registers of the widest.
//
// Bound:   the larger of 2 * 4 * height * width bytes over the bandwidth of a copy, and the operations over 67e12 a
//          second; the book's page "At the card's limit" has what was measured.

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
#define WARPS_3 4
#endif
#ifndef PAIRS_3
#define PAIRS_3 4
#endif
#ifndef ROWS_3
#define ROWS_3 48
#endif
#ifndef ROWS_3_LAST
#define ROWS_3_LAST 16
#endif
#ifndef LAST_3
#define LAST_3 2048
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
    static constexpr int BLOCKS = RADIUS == 1 ? 8 : RADIUS == 2 ? 6 : RING ? 20 / WARPS_3 : RADIUS == 3 ? 5 : 4;
};

constexpr int PITCH = 32 * WARPS_3 + 8;  // float4 from row to row of a ring: columns, sides, and to 128 bytes
constexpr int RING_END = PAIRS_3 * 2 * PITCH;  // float4 of its rows
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
// The row that gets filter row 2 * RADIUS is complete: `done`.
template <int RADIUS>
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
                    next[c] += FILTER[i * SIZE + j] * window[Plan<RADIUS>::HALO - RADIUS + j + c];
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

// Columns x to x + 3 of rows y to y + count - 1; `count` is a multiple of AHEAD + 1, and at least 2 * radius.
template <int RADIUS, Way WAY>
__device__ __forceinline__ void direct(const float *__restrict__ in, float *__restrict__ out, int height, int width,
                                      int x, int y, int count) {
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
        static_assert(!P::EXACT || P::RING || (P::ROWS - BORDER) % BUFFERS == 0,
                      "rows of the loop: a multiple of AHEAD + 1");
        static_assert(!P::EXACT || P::ROWS >= BORDER, "a strip is at least 2 * radius rows");
#pragma unroll
        for (int t = 0; t < BORDER; t++) {
            load((t + P::AHEAD) % BUFFERS);
            add_row<RADIUS>(window[t % BUFFERS], sum, done, 0, t);
        }
#pragma unroll 1
        for (int r = 0; r < count - BORDER; r += BUFFERS) {
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
            store(count - BORDER + e);
        }
    } else {
        static_assert(P::EXACT || (P::ROWS + BORDER) % BUFFERS == 0, "rows of a strip: a multiple of AHEAD + 1");
#pragma unroll
        for (int i = 0; i < P::SIZE; i++) {
            sum[i][0] = sum[i][1] = sum[i][2] = sum[i][3] = 0.0f;
        }
#pragma unroll 1
        for (int t = 0; t < count + BORDER; t += BUFFERS) {
#pragma unroll
            for (int u = 0; u < BUFFERS; u++) {
                if (t + u + P::AHEAD < count + BORDER) {
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

// The 7 x 7 filter, two rows a turn; UP: the strip is walked upwards, so the filter is too.
template <bool UP>
struct Fast {
    static constexpr int SIZE = 7, WINDOW = 12;
    float even[4][4], odd[3][4], both[4][4];  // [i]: the sum to which the next turn adds row i of those filters
    float before[4] = {};                     // the odd rows' last
    float sums[3][SIZE];                      // taps of rows 1 to 3 of E + O; row 0 is the filter's

    static __device__ __forceinline__ float tap(int i, int j) {
        return FILTER[(UP ? SIZE - 1 - i : i) * SIZE + j];
    }

    __device__ __forceinline__ Fast() {
#pragma unroll
        for (int i = 1; i < 4; i++) {
#pragma unroll
            for (int j = 0; j < SIZE; j++) {
                sums[i - 1][j] = tap(2 * i, j) + tap(2 * i - 1, j);
            }
        }
    }

    static __device__ __forceinline__ void load(const float4 *at, float (&window)[WINDOW]) {
#pragma unroll
        for (int q = 0; q < 3; q++) {
            const float4 four = at[q - 1];
            window[4 * q] = four.x;
            window[4 * q + 1] = four.y;
            window[4 * q + 2] = four.z;
            window[4 * q + 3] = four.w;
        }
    }

    // Adds rows first to last of a filter of ROWS rows with those taps, and moves the sums on, as add_row.
    template <int ROWS, class Taps>
    static __device__ __forceinline__ void add(const float (&window)[WINDOW], float (&sum)[ROWS][4], float (&done)[4],
                                               Taps taps, int first, int last) {
#pragma unroll
        for (int i = ROWS - 1; i >= 0; i--) {
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
                        next[c] += taps(i, j) * window[1 + j + c];
                    }
                }
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    if (i == ROWS - 1) {
                        done[c] = next[c];
                    } else {
                        sum[i + 1][c] = next[c];
                    }
                }
            }
        }
    }

    // A turn: two rows of input, of which `row` is the first, to two rows of output. Rows before `first` and after
    // `last` of E and E + O are left out, and so are those before first_odd and after `last` of O.
    __device__ __forceinline__ void turn(const float4 *row, float (&y0)[4], float (&y1)[4], int first, int first_odd,
                                         int last) {
        float x0[WINDOW], x1[WINDOW], e[4], o[4], b[4];
        load(row, x0);
        add(x0, even, e, [](int i, int j) { return tap(2 * i, j); }, first, last);
        load(row + PITCH, x1);
        add(x1, odd, o, [](int i, int j) { return tap(2 * i + 1, j); }, first_odd, last);
#pragma unroll
        for (int q = 1; q < WINDOW - 1; q++) {
            x0[q] += x1[q];
        }
        add(x0, both, b, [this](int i, int j) { return i == 0 ? tap(0, j) : sums[i - 1][j]; }, first, last);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            y0[c] = e[c] + before[c];
            y1[c] = b[c] - (e[c] + o[c]);
            before[c] = o[c];
        }
    }
};

// Rows y to y + count - 1 through `rows`, the ring of the block from the warp's first column on. INSIDE says that the
// image has all rows, not that it has all columns.
template <Way WAY, bool UP>
__device__ __forceinline__ void walk(float4 *rows, const float *__restrict__ in, float *__restrict__ out, int height,
                                     int width, int x0, int y, int count) {
    constexpr int RADIUS = 3, PAIR = 2 * PITCH * 16, END = PAIRS_3 * PAIR;  // bytes
    static_assert(PAIRS_3 >= 2 && PAIRS_3 <= 4, "a ring of two to four pairs");
    const int lane = threadIdx.x, warp = threadIdx.y, x = x0 + 4 * lane;
    const int step = UP ? -4 * width : 4 * width;  // bytes from row to row
    // The first lanes of the first and last warp copy a side of both rows of a pair too.
    const int side_row = lane / 2, side_at = lane % 2 == 0 ? -1 : 32;  // float4 from the warp's first
    const int side_x = x0 + 4 * side_at;
    const bool inside = x < width;
    const bool copies_side =
        lane < 4 && warp == (lane % 2 == 0 ? 0 : WARPS_3 - 1) && side_x >= 0 && side_x < width;
    int row = UP ? y + count - 1 + RADIUS : y - RADIUS;  // the next to copy
    int out_row = UP ? y + count - 1 : y;                // the next to store
    const char *from = reinterpret_cast<const char *>(in + ((long long)row * width + x));
    char *to = reinterpret_cast<char *>(out + ((long long)out_row * width + x));
    const int to_side = side_row * step + 4 * (side_x - x);
    char *mine = reinterpret_cast<char *>(rows + lane);
    char *side = reinterpret_cast<char *>(rows + side_row * PITCH + side_at);
    float y0[4] = {}, y1[4] = {};
    Fast<UP> fast;  // before the copies, in this order: the compiler then lets none of them wait for a tap

    // A row outside the image is zero.
    auto copy = [&](char *to_shared, const char *from_global, int of_row) {
        if (WAY == INSIDE || static_cast<unsigned>(of_row) < static_cast<unsigned>(height)) {
            __pipeline_memcpy_async(to_shared, from_global, 16);
        } else {
            *reinterpret_cast<float4 *>(to_shared) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    };
    auto copy_pair = [&](int at) {
        if (inside) {
            copy(mine + at, from, row);
            copy(mine + at + PITCH * 16, from + step, row + 1);
        }
        if (copies_side) {
            copy(side + at, from + to_side, row + side_row);
        }
        __pipeline_commit();
        row += 2;
        from += 2 * step;
    };
    auto store_pair = [&]() {
        if (inside && (WAY == INSIDE || out_row < height)) {
            *reinterpret_cast<float4 *>(to) = make_float4(y0[0], y0[1], y0[2], y0[3]);
        }
        if (inside && (WAY == INSIDE || out_row + 1 < height)) {
            *reinterpret_cast<float4 *>(to + step) = make_float4(y1[0], y1[1], y1[2], y1[3]);
        }
        to += 2 * step;
        out_row += 2;
    };

    // Columns outside the image are copied by nobody and stay 0.
    for (int i = 32 * warp + lane - 1; i < RING_END; i += 32 * WARPS_3) {
        (rows - 32 * warp)[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < PAIRS_3 - 1; p++) {
        copy_pair(p * PAIR);
    }
    int now = 0, before = END - PAIR;  // the pair in use, and the one that was
    auto begin_pair = [&](bool more) {
        __pipeline_wait_prior(PAIRS_3 - 2);
        __syncthreads();  // the pair is there, and no warp reads the one before
        if (more) {
            copy_pair(before);
        } else {
            __pipeline_commit();
        }
    };
    auto turn = [&](int first, int first_odd, int last) {
        fast.turn(reinterpret_cast<const float4 *>(mine + now), y0, y1, first, first_odd, last);
        before = now;
        now = now + PAIR == END ? 0 : now + PAIR;
    };
#pragma unroll 1
    for (int t = 0; t < RADIUS; t++) {
        begin_pair(true);
        turn(0, 0, t);
    }
#pragma unroll 1
    for (int t = RADIUS; t < count / 2; t++) {
        begin_pair(true);
        turn(0, 0, RADIUS);
        store_pair();
    }
#pragma unroll 1
    for (int t = 0; t < RADIUS; t++) {
        begin_pair(t + PAIRS_3 - 1 < RADIUS);
        turn(t + 1, t, RADIUS);
        store_pair();
    }
}

__device__ __forceinline__ void conv2d_walk(float4 *ring, const float *__restrict__ in, float *__restrict__ out,
                                            int height, int width) {
    constexpr int MULTIPLE = AHEAD_3 % 2 == 0 ? 2 * (AHEAD_3 + 1) : AHEAD_3 + 1;  // for `direct`, and pairs
    static_assert(!RING_3 || (ROWS_3 >= 6 && ROWS_3_LAST >= 6), "a strip is at least 2 * radius rows");
    static_assert(!RING_3 || ((ROWS_3 - 6) % MULTIPLE == 0 && (ROWS_3_LAST - 6) % MULTIPLE == 0),
                  "rows of a strip: even, and less 2 * radius a multiple of AHEAD_3 + 1");
    const int strip = blockIdx.y;
    const int strips = height > LAST_3 ? (height - LAST_3) / ROWS_3 : 0;  // the long ones
    const int count = strip < strips ? ROWS_3 : ROWS_3_LAST;
    const int y = strip < strips ? strip * ROWS_3 : strips * ROWS_3 + (strip - strips) * ROWS_3_LAST;
    const int x0 = (blockIdx.x * WARPS_3 + threadIdx.y) * 128;
    float4 *rows = ring + 32 * threadIdx.y;
    if (width % 4 != 0) {
        direct<3, SINGLE>(in, out, height, width, x0 + 4 * threadIdx.x, y, count);
    } else if (y < 3 || y + count + 3 > height) {
        walk<EDGE, false>(rows, in, out, height, width, x0, y, count);
    } else if (strip % 2 == 0) {
        walk<INSIDE, false>(rows, in, out, height, width, x0, y, count);
    } else {
        walk<INSIDE, true>(rows, in, out, height, width, x0, y, count);
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
        direct<RADIUS, SINGLE>(in, out, height, width, x, y, P::ROWS);
    } else if (x0 >= P::HALO && x0 + 128 + P::HALO <= width && y >= RADIUS && y + P::ROWS + RADIUS <= height) {
        direct<RADIUS, INSIDE>(in, out, height, width, x, y, P::ROWS);
    } else {
        direct<RADIUS, EDGE>(in, out, height, width, x, y, P::ROWS);
    }
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_block(float4 (&ring)[RING_SIZE], const float *__restrict__ in,
                                             float *__restrict__ out, int height, int width) {
    if constexpr (Plan<RADIUS>::RING) {
        conv2d_walk(&ring[8], in, out, height, width);
    } else {
        conv2d_thread<RADIUS>(in, out, height, width);
    }
}

template <int RADIUS>
__global__ void __launch_bounds__(32 * Plan<RADIUS>::WARPS_OF_BLOCK, Plan<RADIUS>::BLOCKS)
    conv2d_best_radius(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ __align__(128) float4 ring[RING_SIZE];  // none where it is not used
    conv2d_block<RADIUS>(ring, in, out, height, width);
}

constexpr int MOST_WARPS = WARPS > WARPS_3 ? WARPS : WARPS_3;

__global__ void __launch_bounds__(32 * MOST_WARPS, 16 / MOST_WARPS)
    conv2d_best(const float *__restrict__ in, float *__restrict__ out, int height, int width, int radius) {
    __shared__ __align__(128) float4 ring[RING_SIZE];
    switch (radius) {
        case 1: conv2d_block<1>(ring, in, out, height, width); break;
        case 2: conv2d_block<2>(ring, in, out, height, width); break;
        case 3: conv2d_block<3>(ring, in, out, height, width); break;
        case 4: conv2d_block<4>(ring, in, out, height, width); break;
        case 5: conv2d_block<5>(ring, in, out, height, width); break;
        case 6: conv2d_block<6>(ring, in, out, height, width); break;
        case 7: conv2d_block<7>(ring, in, out, height, width); break;
    }
}
