// Lab 4, best: the convolution with as few instructions besides its multiply-adds as possible.
//
//   out[y][x] = sum over i, j of FILTER[i][j] * in[y - radius + i][x - radius + j];  cells outside the image are 0
//
// The fewer instructions besides multiply-adds and wide loads, the better:
//
//   - A thread computes four adjacent columns of a strip of rows, walking down. Each input row is loaded once.
//   - An input row contributes to 2 * radius + 1 output rows. Their sums stay in registers: sum[i] is the sum of the
//     output row to which the next input row contributes with row i of the filter. From row to row the sums move on
//     by one, and that costs nothing, because a multiply-add may write a different register than it adds to.
//   - The taps are operands of the multiply-adds, straight from constant memory.
//
// Radius 1 to 3 use `walk`:
//
//   - The first and the last 2 * radius input rows of a strip contribute to fewer output rows; they are done without
//     the unused products.
//   - Rows come through a ring in shared memory, copied asynchronously, pairs of rows ahead: rows in flight need no
//     registers. The warps of a block lie side by side and share the ring: none copies its neighbours' columns.
//   - Copies of 16 bytes are merged into wide requests only if source and destination have the same offset within 128
//     bytes. So a row's columns begin at a multiple of 128 bytes in shared memory too.
//   - Half of the threads copy one row of a pair, half the other: one address each, and the sides beside it.
//   - All branches depend only on blockIdx. Otherwise the compiler does not know that a warp is converged at a
//     barrier, and may not keep a tap in a uniform register across it.
//   - Neighbouring strips share 2 * radius rows, and a strip takes too long for them to stay in the L2 cache. So every
//     second strip is walked upwards: neighbours read the shared rows at the same time.
//   - A copy can write zeros instead, for what lies outside the image. The rows above and below it are the first of
//     their strips, if the lowest strip is walked upwards. So inside a strip nothing is checked, and all blocks of an
//     image of suitable size run the same code: a short launch would wait for the few that load other code.
//
// A 7 x 7 filter needs 49 multiply-adds per output for 8 bytes. On an H200 (67e12 operations and 4e12 bytes per second)
// they take three quarters as long as the bytes. And the copy alone draws nearly all the power that the card may draw:
// computing at the same time lowers the clock. So radius 3 uses fewer operations:
//
//   - 41 multiply-adds and additions instead of 49: `Rows<3>` makes two output rows of two input rows x0, x1 by the
//     two-parallel fast FIR algorithm (after S. Winograd; K. K. Parhi, VLSI Digital Signal Processing Systems, 1999,
//     chapter 9). With E and O, the filter's even and odd rows, it takes E * x0, O * x1 and (E + O) * (x0 + x1): 4 + 3
//     + 4 rows of products. The first two make one output row; the third minus both makes the other. The price is a
//     little accuracy.
//   - Long strips load fewer rows twice, but at the end of the launch many multiprocessors would wait for the last of
//     them. So the image's last rows are in short strips, and so is all of a small image. On an H200 528 blocks run at
//     once: the long ones are one such wave at 4096 x 4096 and three at 8192 x 8192, and the short ones fill up.
//
// Wider filters, and images whose width is not a multiple of 4, use `direct`. It loads three to five float4 around a
// thread's columns, a row before they are used; neighbours' loads hit the L1 cache. A warp inside the image checks
// nothing; at the edge each load and store is checked. Rows that do not start at multiples of 16 bytes are loaded float
// by float.
//
// Given:   in      height * width floats, row-major
//          FILTER  (2 * radius + 1) squared floats, row-major; radius is 1 to MAX_RADIUS
// Write:   out     height * width floats
// Launch:  radius 1 and 2: blocks of 32 x RING_WARPS threads, grid ceil(width / (128 * RING_WARPS)) by
//          ceil(height / ROWS_1 or ROWS_2);
//          radius 3: as many columns of blocks, by long + ceil((height - long * rows) / ROWS_3_LAST); below height 8192
//          rows is ROWS_3 and last is LAST_3, from there on ROWS_3_LARGE and LAST_3 / 2; long is (height - last) /
//          rows, or 0 if that is negative or the height at most 2048;
//          beyond: blocks of 32 x WARPS threads, grid ceil(width / 128) by ceil(height / (WARPS * ROWS_WIDE)).
//          conv2d_best_radius<RADIUS> is the kernel for one radius and the preferred one; conv2d_best chooses inside,
//          and so every radius pays for the registers of the widest.
//
// Note:    with radius 3, an infinity or NaN in the image affects one more row of outputs than the filter reaches: both
//          rows of a pair are made from the same products. If such values are expected, use `direct` or lab 2's best.
//
// Bound:   the larger of 2 * 4 * height * width bytes over the bandwidth of a copy, and the operations over 67e12 per
//          second; the book's page "At the card's limit" has the measurements.

#include <cuda_pipeline.h>

#ifndef WARPS
#define WARPS 4
#endif
#ifndef RING_WARPS
#define RING_WARPS 4
#endif
#ifndef RING_PAIRS
#define RING_PAIRS 4
#endif
#ifndef ROWS_1
#define ROWS_1 8
#endif
#ifndef ROWS_2
#define ROWS_2 8
#endif
#ifndef ROWS_3
#define ROWS_3 48
#endif
#ifndef ROWS_3_LARGE
#define ROWS_3_LARGE 80
#endif
#ifndef ROWS_3_LAST
#define ROWS_3_LAST 16
#endif
#ifndef LAST_3
#define LAST_3 1024
#endif
#ifndef ROWS_WIDE
#define ROWS_WIDE 32
#endif
#define MAX_RADIUS 7

__constant__ float FILTER[(2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1)];

// Columns on each side of a thread's own that it loads, in whole float4.
__host__ __device__ constexpr int halo_of(int radius) {
    return (radius + 3) / 4 * 4;
}

// How a radius is processed.
template <int RADIUS>
struct Plan {
    static constexpr bool THROUGH_RING = RADIUS <= 3;
    static constexpr int WARPS_OF_BLOCK = THROUGH_RING ? RING_WARPS : WARPS;
    static constexpr int BLOCKS = !THROUGH_RING ? 4 : (RADIUS <= 2 ? 32 : 16) / RING_WARPS;  // by registers
};

constexpr int PITCH = 32 * RING_WARPS + 8;  // float4 from row to row of a ring: columns, sides, and to 128 bytes
constexpr int PAIR = 2 * PITCH * 16, RING_END = RING_PAIRS * PAIR;  // bytes
constexpr int RING_SIZE = RING_END / 16 + 8;  // float4, with what lies before the first row

// How a warp reads and writes: INSIDE checks nothing; EDGE checks each float4; SINGLE checks each float. Functions take
// it as an argument, as well as whether a strip is walked `up`, and are inlined: as good as a template, but compiled
// once. Code that declares no array of a size that depends on the radius takes the radius as an argument too.
enum Way { INSIDE, EDGE, SINGLE };

// The row's columns x - halo to x + 3 + halo, 0 outside the image; `from` is column x.
__device__ __forceinline__ void load_window(Way way, int radius, float *window, const float *from, int row, int height,
                                            int width, int x) {
    const bool row_exists = row >= 0 && row < height;
    const int halo = halo_of(radius);
    if (way == SINGLE) {
#pragma unroll
        for (int q = halo - radius; q < halo + 4 + radius; q++) {
            const int column = x - halo + q;
            window[q] = row_exists && column >= 0 && column < width ? __ldg(from - halo + q) : 0.0f;
        }
        return;
    }
#pragma unroll
    for (int q = 0; q < 4 + 2 * halo; q += 4) {
        const int column = x - halo + q;
        float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (way == INSIDE || (row_exists && column >= 0 && column < width)) {
            four = __ldg(reinterpret_cast<const float4 *>(from - halo + q));
        }
        window[q] = four.x;
        window[q + 1] = four.y;
        window[q + 2] = four.z;
        window[q + 3] = four.w;
    }
}

// The filter of a strip that is walked downwards, or `up`: then the filter is upside down too.
struct Taps {
    const bool up;

    __device__ __forceinline__ float operator()(int radius, int i, int j) const {
        return FILTER[(up ? 2 * radius - i : i) * (2 * radius + 1) + j];
    }
};

// Adds an input row to the output rows to which it contributes with rows first to last of a filter of `rows` rows of
// 2 * radius + 1 `taps`, and moves the sums on. The row that gets the last filter row is complete: `done`.
template <class F>
__device__ __forceinline__ void add_row(int radius, int rows, const float *window, float (*sum)[4], float (&done)[4],
                                        const F &taps, int first, int last) {
    const int size = 2 * radius + 1;
    const int begin = halo_of(radius) - radius;
#pragma unroll
    for (int i = rows - 1; i >= 0; i--) {
        if (i >= first && i <= last) {
            float next[4];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                next[c] = i == 0 ? 0.0f : sum[i][c];
            }
#pragma unroll
            for (int j = 0; j < size; j++) {
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    next[c] += taps(radius, i, j) * window[begin + j + c];
                }
            }
#pragma unroll
            for (int c = 0; c < 4; c++) {
                if (i == rows - 1) {
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

// Columns x to x + 3 of rows y to y + count - 1; `count` is even.
template <int RADIUS>
__device__ __forceinline__ void direct(Way way, const float *__restrict__ in, float *__restrict__ out, int height,
                                       int width, int x, int y, int count) {
    constexpr int BORDER = 2 * RADIUS;
    float window[2][4 + 2 * halo_of(RADIUS)];
    float sum[BORDER + 1][4] = {};
    float done[4];
    const Taps taps{false};
    const float *from = in + ((long long)(y - RADIUS) * width + x);
    float *to = out + (size_t)y * width + x;
    int row = y - RADIUS;  // the next to load

    auto load = [&](int buffer) {
        load_window(way, RADIUS, window[buffer], from, row, height, width, x);
        from += width;
        row++;
    };
    load(0);
#pragma unroll 1
    for (int t = 0; t < count + BORDER; t += 2) {
#pragma unroll
        for (int u = 0; u < 2; u++) {
            if (t + u + 1 < count + BORDER) {
                load(1 - u);
            }
            add_row(RADIUS, BORDER + 1, window[u], sum, done, taps, 0, BORDER);
            if (t + u >= BORDER) {
                store_four(way, to, t + u - BORDER < height - y, width, x, done);
                to += width;
            }
        }
    }
}

// From a row of the ring, around its float4 `at`.
__device__ __forceinline__ void load_from_ring(const float4 *at, float (&window)[12]) {
#pragma unroll
    for (int q = 0; q < 3; q++) {
        const float4 four = at[q - 1];
        window[4 * q] = four.x;
        window[4 * q + 1] = four.y;
        window[4 * q + 2] = four.z;
        window[4 * q + 3] = four.w;
    }
}

// Two rows per iteration, one after the other.
template <int RADIUS>
struct Rows {
    const Taps taps;
    float sum[2 * RADIUS + 1][4];

    __device__ __forceinline__ Rows(bool up) : taps{up} {}

    // An iteration: two rows of input, of which `row` is the first, complete two rows of output. They use pairs
    // of filter rows `first` to `last`, counted such that pair 0 begins with the row before the first.
    __device__ __forceinline__ void turn(const float4 *row, float (&y0)[4], float (&y1)[4], int first, int last) {
        float window[12];
        load_from_ring(row, window);
        add_row(RADIUS, 2 * RADIUS + 1, window, sum, y0, taps, 2 * first - 1, 2 * last);
        load_from_ring(row + PITCH, window);
        add_row(RADIUS, 2 * RADIUS + 1, window, sum, y1, taps, 2 * first, 2 * last + 1);
    }
};

// The 7 x 7 filter by the fast FIR algorithm.
template <>
struct Rows<3> {
    const Taps taps;
    float even[4][4], odd[3][4], both[4][4];  // [i]: the sum to which the next iteration adds row i of those filters
    float before[4] = {};                     // the odd rows' last
    float sums[3][7];                         // taps of rows 1 to 3 of E + O; row 0 is the filter's

    __device__ __forceinline__ Rows(bool up) : taps{up} {
#pragma unroll
        for (int i = 1; i < 4; i++) {
#pragma unroll
            for (int j = 0; j < 7; j++) {
                sums[i - 1][j] = taps(3, 2 * i, j) + taps(3, 2 * i - 1, j);
                asm("" : "+f"(sums[i - 1][j]));  // or the compiler recomputes them in every iteration
            }
        }
    }

    // As in the other filters.
    __device__ __forceinline__ void turn(const float4 *row, float (&y0)[4], float (&y1)[4], int first, int last) {
        float x0[12], x1[12], e[4], o[4], b[4];
        auto half = [this](int first) {
            return [this, first](int radius, int i, int j) { return taps(radius, 2 * i + first, j); };
        };
        load_from_ring(row, x0);
        add_row(3, 4, x0, even, e, half(0), first, last);
        load_from_ring(row + PITCH, x1);
        add_row(3, 3, x1, odd, o, half(1), first - 1, last);
#pragma unroll
        for (int q = 1; q < 11; q++) {
            x0[q] += x1[q];
        }
        auto of_both = [this](int radius, int i, int j) { return i == 0 ? taps(radius, 0, j) : sums[i - 1][j]; };
        add_row(3, 4, x0, both, b, of_both, first, last);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            y0[c] = e[c] + before[c];
            y1[c] = b[c] - (e[c] + o[c]);
            before[c] = o[c];
        }
    }
};

// What a thread copies of each pair of rows: two float4 of one row, and at its ends one float4 per side.
struct Copies {
    static constexpr int HALF = 16 * RING_WARPS;  // threads of a row, and float4 from a thread's first to its second
    const Way way;
    const bool up;
    const char *from;
    char *to;
    int row, step, height;
    bool first_there, second_there;
    int side;  // bytes from `from` to the side, which is only copied beside the first and the last thread of a row
    bool at_side, side_there;

    // From row y on, from column x on.
    __device__ __forceinline__ Copies(Way way, bool up, float4 *rows, const float *__restrict__ in, int height,
                                      int width, int x, int y)
        : way(way), up(up), step(up ? -8 * width : 8 * width), height(height) {
        const int thread = 32 * threadIdx.y + threadIdx.x, of_pair = thread / HALF, at = thread % HALF;
        row = up ? y - of_pair : y + of_pair;
        from = reinterpret_cast<const char *>(in + ((long long)row * width + x + 4 * at));
        to = reinterpret_cast<char *>(rows + of_pair * PITCH + at);
        first_there = x + 4 * at < width;
        second_there = x + 4 * (at + HALF) < width;
        at_side = at == 0 || at == HALF - 1;
        side = at == 0 ? -16 : 16 * HALF + 16;
        side_there = at == 0 ? x > 0 : x + 8 * HALF < width;
    }

    __device__ __forceinline__ void copy_or_zero(char *ring, int offset, bool there) const {
        __pipeline_memcpy_async(ring + offset, from + offset, 16, there ? 0 : 16);
    }

    // The pair at that place of the ring; what lies outside the image is zero. INSIDE: not `checked` means that the
    // rows exist, and that sides that do not are zero already.
    __device__ __forceinline__ void pair(int at, bool checked) {
        char *const ring = to + at;
        if (way != INSIDE || checked) {
            const bool there = static_cast<unsigned>(row) < static_cast<unsigned>(height);
            copy_or_zero(ring, 0, there && (way == INSIDE || first_there));
            copy_or_zero(ring, 16 * HALF, there && (way == INSIDE || second_there));
            if (at_side) {
                copy_or_zero(ring, side, there && side_there);
            }
        } else {
            __pipeline_memcpy_async(ring, from, 16);
            __pipeline_memcpy_async(ring + 16 * HALF, from + 16 * HALF, 16);
            if (at_side && side_there) {
                __pipeline_memcpy_async(ring + side, from + side, 16);
            }
        }
        __pipeline_commit();
        row += up ? -2 : 2;
        from += step;
    }

    // Waits for the oldest pair in flight. If there is one more, begins to copy it to that place of the ring.
    __device__ __forceinline__ void await(int at, bool more) {
        __pipeline_wait_prior(RING_PAIRS - 2);
        __syncthreads();  // the pair has arrived, and no warp reads the previous one
        if (more) {
            pair(at, false);
        } else {
            __pipeline_commit();
        }
    }

    // Zeroes the sides outside the image at a place of the ring to which nothing is copied checked.
    __device__ __forceinline__ void zero_sides(int at) {
        if (at_side && !side_there) {
            *reinterpret_cast<float4 *>(to + at + side) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }
};

// An iteration's two rows of output, `y0` at `to` and `y1` at `step` bytes from there; `row` is the first.
__device__ __forceinline__ void store_two(Way way, bool up, char *to, int step, int row, int height,
                                          bool column_exists, const float (&y0)[4], const float (&y1)[4]) {
    if (way == INSIDE || (column_exists && row < height)) {
        *reinterpret_cast<float4 *>(to) = make_float4(y0[0], y0[1], y0[2], y0[3]);
    }
    if (way == INSIDE || (column_exists && (up ? row - 1 : row + 1) < height)) {
        *reinterpret_cast<float4 *>(to + step) = make_float4(y1[0], y1[1], y1[2], y1[3]);
    }
}

// Rows y to y + count - 1 of the block's columns, from x0 on, through `rows`, its ring. INSIDE means that the image has
// all columns and all output rows, and all input rows except some at the beginning of the strip.
template <int RADIUS>
__device__ __forceinline__ void walk(Way way, bool up, float4 *rows, const float *__restrict__ in,
                                     float *__restrict__ out, int height, int width, int x0, int y, int count) {
    constexpr int AHEAD = RING_PAIRS - 1;
    static_assert(2 * AHEAD >= RADIUS, "the rows outside of the image are copied before the loops");
    const int thread = 32 * threadIdx.y + threadIdx.x, x = x0 + 4 * thread;
    const int step = up ? -4 * width : 4 * width;  // bytes from row to row
    const int pairs = count / 2 + RADIUS;          // of input
    int out_row = up ? y + count - 1 : y;          // the next to store
    char *to = reinterpret_cast<char *>(out + ((long long)out_row * width + x));
    const char *mine = reinterpret_cast<const char *>(rows + thread);
    float y0[4] = {}, y1[4] = {};
    Rows<RADIUS> turns(up);  // before the copies: none of them then waits for a tap
    Copies copies(way, up, rows, in, height, width, x0, up ? y + count - 1 + RADIUS : y - RADIUS);
#pragma unroll
    for (int p = 0; p < AHEAD; p++) {
        copies.pair(p * PAIR, true);
    }
    if (way == INSIDE) {
        copies.zero_sides(AHEAD * PAIR);
    }
    int now = 0, before = RING_END - PAIR;  // the current pair, and the previous one
    auto turn = [&](int first, int last) {
        turns.turn(reinterpret_cast<const float4 *>(mine + now), y0, y1, first, last);
        before = now;
        now = now + PAIR == RING_END ? 0 : now + PAIR;
    };
    auto store_pair = [&]() {
        store_two(way, up, to, step, out_row, height, x < width, y0, y1);
        to += 2 * step;
        out_row += up ? -2 : 2;
    };
#pragma unroll
    for (int t = 0; t < RADIUS; t++) {
        copies.await(before, AHEAD <= RADIUS || t + AHEAD < pairs);
        turn(0, t);
    }
#pragma unroll 1
    for (int t = RADIUS; t < count / 2; t++) {
        copies.await(before, AHEAD <= RADIUS || t + AHEAD < pairs);
        turn(0, RADIUS);
        store_pair();
    }
#pragma unroll
    for (int t = 0; t < RADIUS; t++) {
        copies.await(before, t + AHEAD < RADIUS);
        turn(t + 1, RADIUS);
        store_pair();
    }
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_walk(float4 *rows, const float *__restrict__ in, float *__restrict__ out,
                                            int height, int width) {
    constexpr int ROWS = RADIUS == 1 ? ROWS_1 : RADIUS == 2 ? ROWS_2 : ROWS_3;
    constexpr int SHORT = RADIUS == 3 ? ROWS_3_LAST : ROWS;
    static_assert(SHORT >= 2 * RADIUS && RING_PAIRS <= SHORT / 2 + RADIUS && SHORT <= ROWS && ROWS <= ROWS_3_LARGE,
                  "a strip is at least 2 * radius rows and fills the ring");
    static_assert(ROWS % 2 == 0 && SHORT % 2 == 0 && ROWS_3_LARGE % 2 == 0, "two rows a turn");
    const int strip = blockIdx.y;
    const int rows_of_long = height < 8192 ? ROWS : ROWS_3_LARGE;
    const int last = height < 8192 ? LAST_3 : LAST_3 / 2;
    const int longs = RADIUS == 3 && height > 2048 && height > last ? (height - last) / rows_of_long : 0;
    const int count = strip < longs ? rows_of_long : SHORT;
    const int y = strip < longs ? strip * rows_of_long : longs * rows_of_long + (strip - longs) * SHORT;
    const int x0 = blockIdx.x * (128 * RING_WARPS);
    if (width % 4 != 0) {
        direct<RADIUS>(SINGLE, in, out, height, width, x0 + 4 * (32 * threadIdx.y + threadIdx.x), y, count);
        return;
    }
    const bool up = strip % 2 == 1 || y + count == height;
    const int read_last = up ? y - RADIUS : y + count - 1 + RADIUS;  // a row
    if (x0 + 128 * RING_WARPS > width || y + count > height || read_last < 0 || read_last >= height) {
        walk<RADIUS>(EDGE, false, rows, in, out, height, width, x0, y, count);
    } else if (up) {
        walk<RADIUS>(INSIDE, true, rows, in, out, height, width, x0, y, count);
    } else {
        walk<RADIUS>(INSIDE, false, rows, in, out, height, width, x0, y, count);
    }
}

// Whether the image has everything that a warp reads and writes from column x0 and row y on.
__device__ __forceinline__ bool inside(int radius, int height, int width, int x0, int y) {
    const int halo = halo_of(radius);
    return x0 >= halo && x0 + 128 + halo <= width && y >= radius && y + ROWS_WIDE + radius <= height;
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_thread(const float *__restrict__ in, float *__restrict__ out, int height,
                                              int width) {
    const int x0 = blockIdx.x * 128;  // the warp's first column
    const int x = x0 + 4 * threadIdx.x;
    const int y = (blockIdx.y * WARPS + threadIdx.y) * ROWS_WIDE;
    if (y >= height) {
        return;
    }
    if (width % 4 != 0) {
        direct<RADIUS>(SINGLE, in, out, height, width, x, y, ROWS_WIDE);
    } else if (inside(RADIUS, height, width, x0, y)) {
        direct<RADIUS>(INSIDE, in, out, height, width, x, y, ROWS_WIDE);
    } else {
        direct<RADIUS>(EDGE, in, out, height, width, x, y, ROWS_WIDE);
    }
}

template <int RADIUS>
__device__ __forceinline__ void conv2d_block(float4 (&ring)[RING_SIZE], const float *__restrict__ in,
                                             float *__restrict__ out, int height, int width) {
    if constexpr (Plan<RADIUS>::THROUGH_RING) {
        conv2d_walk<RADIUS>(&ring[8], in, out, height, width);
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

constexpr int MOST_WARPS = WARPS > RING_WARPS ? WARPS : RING_WARPS;

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
