// The step of the ladder before lab 4's `best` at radius 3: rows go through shared memory and every second strip is
// walked upwards, but each warp has a ring of its own, each output has all of its 49 products, and all strips are
// equally long.
//
// Given:   in      height * width floats, row by row; width is a multiple of 4
//          FILTER  7 * 7 floats, row by row
// Write:   out     height * width floats
// Launch:  blocks of 32 x WARPS threads, grid ceil(width / (128 * WARPS)) by ceil(height / ROWS)
constexpr int RADIUS = 3, SIZE = 7, HALO = 4, WINDOW = 12;
constexpr int WARPS = 8, PAIRS = 4, ROWS = 32;
constexpr int PITCH = 40;                      // float4 from row to row of a ring: 32, sides, and to 128 bytes
constexpr int RING_END = PAIRS * 2 * PITCH;    // float4 of its rows
constexpr int RING_SIZE = RING_END + 8;        // with what lies before the first row

__constant__ float FILTER[SIZE * SIZE];

enum Way { INSIDE, EDGE };

// Adds an input row to the output rows to which it contributes with filter rows first to last, and moves the sums on.
// The row that gets filter row 2 * RADIUS is complete: `done`. UP: the strip is walked upwards, so the filter is too.
template <bool UP>
__device__ __forceinline__ void add_row(const float (&window)[WINDOW],
                                        float (&sum)[SIZE][4],
                                        float (&done)[4], int first, int last) {
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
                    next[c] += FILTER[(UP ? SIZE - 1 - i : i) * SIZE + j] * window[HALO - RADIUS + j + c];
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

// Columns x0 to x0 + 127 of rows y to y + ROWS - 1 through `rows`, the ring of the warp. INSIDE says that the image has
// all rows, not that it has all columns.
template <Way WAY, bool UP>
__device__ __forceinline__ void ring(float4 *rows, const float *__restrict__ in, float *__restrict__ out, int height,
                                     int width, int x0, int y) {
    constexpr int SIDE = HALO / 4, BORDER = 2 * RADIUS, PAIR = 2 * PITCH;
    static_assert(ROWS % 2 == 0 && ROWS >= BORDER, "a strip is an even number of rows, at least 2 * radius");
    const int lane = threadIdx.x, x = x0 + 4 * lane;
    const int step = UP ? -width : width;
    // The first 4 * SIDE lanes copy the sides of a pair too.
    const int side_row = lane / (2 * SIDE), side = lane % (2 * SIDE);
    const int side_at = side < SIDE ? side - SIDE : 32 + side - SIDE;  // float4 from the row's first
    const int side_x = x0 + 4 * side_at;
    const bool inside = x < width;
    const bool copies_side = lane < 4 * SIDE && side_x >= 0 && side_x < width;
    int row = UP ? y + ROWS - 1 + RADIUS : y - RADIUS;  // the next to copy
    int out_row = UP ? y + ROWS - 1 : y;                // the next to store
    const float *from = in + ((long long)row * width + x);
    const float *from_side = from + side_row * step + (side_x - x);
    float *to = out + ((long long)out_row * width + x);
    float window[WINDOW];
    float sum[SIZE][4];
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
        for (int q = 0; q < WINDOW; q += 4) {
            const float4 four = rows[at + lane + q / 4 - SIDE];
            window[q] = four.x;
            window[q + 1] = four.y;
            window[q + 2] = four.z;
            window[q + 3] = four.w;
        }
        add_row<UP>(window, sum, done, first, last);
    };
    auto store = [&]() {
        if (inside && (WAY == INSIDE || out_row < height)) {
            __stcs(reinterpret_cast<float4 *>(to), make_float4(done[0], done[1], done[2], done[3]));
        }
        to += step;
        out_row += UP ? -1 : 1;
    };

    // Columns outside the image are not copied and stay 0.
    for (int i = lane - SIDE; i < RING_END; i += 32) {
        rows[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    __syncwarp();
#pragma unroll
    for (int p = 0; p < PAIRS - 1; p++) {
        copy_pair(p * PAIR);
    }
    int now = 0, before = RING_END - PAIR;  // the pair in use, and the one that was
    auto begin_pair = [&](bool more) {
        __pipeline_wait_prior(PAIRS - 2);
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
    for (int t = BORDER; t < ROWS; t += 2) {
        begin_pair(true);
        add(now, 0, BORDER);
        store();
        add(now + PITCH, 0, BORDER);
        store();
        end_pair();
    }
#pragma unroll 1
    for (int t = 0; t < BORDER; t += 2) {
        begin_pair(t / 2 + PAIRS - 1 < RADIUS);
        add(now, t + 1, BORDER);
        store();
        add(now + PITCH, t + 2, BORDER);
        store();
        end_pair();
    }
}

__global__ void __launch_bounds__(32 * WARPS, 3)
    conv2d_ring(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ __align__(128) float4 rings[WARPS][RING_SIZE];
    float4 *rows = &rings[threadIdx.y][8];
    const int x0 = (blockIdx.x * WARPS + threadIdx.y) * 128;
    const int y = blockIdx.y * ROWS;
    if (y < RADIUS || y + ROWS + RADIUS > height) {
        ring<EDGE, false>(rows, in, out, height, width, x0, y);
    } else if (blockIdx.y % 2 == 0) {
        ring<INSIDE, false>(rows, in, out, height, width, x0, y);
    } else {
        ring<INSIDE, true>(rows, in, out, height, width, x0, y);
    }
}
