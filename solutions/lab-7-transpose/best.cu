// Lab 7, best: the transpose at the speed of a copy.
//
//   out[x][y] = in[y][x]
//
// What is left after `unrolled` is the memory itself. It works best with few, wide requests, many of them in flight,
// and long runs of adjacent addresses in both matrices:
//
//   - A tile of SIDE x SIDE = 64 x 64 floats: 256 bytes of a row in `in` and 256 bytes of a row in `out`, so both sides
//     move whole lines of 128 bytes.
//   - Loads and stores of four floats (float4): a quarter of the instructions. All loads of a thread are issued before
//     the first value is used.
//   - One unused column makes the rows of the tile 65 floats long. A warp then writes it, and reads it by columns,
//     float by float with at most two lanes in a bank, and that hides behind the memory.
//   - Blocks walk down `in` (the block's number is decomposed by columns), so blocks that run together write
//     adjacent pieces of the same rows of `out`.
//   - Plain loads and stores. Marked as used once (__ldcs, __stcs), they are as fast when the kernel is measured by
//     itself, but slower after a copy: such lines leave the L2 cache first, so what the copy left there stays, and
//     little room is left for the kernel.
//
// Given:   in   height rows of width floats
// Write:   out  width rows of height floats
// Launch:  blocks of THREADS threads; grid ceil(width / SIDE) by ceil(height / SIDE).
//
// Bound:   2 * 4 * width * height bytes over the bandwidth of a copy; the book's page "At the card's limit" has the
//          measurements.
// Note:    a float4 must be aligned to 16 bytes: rows of `in` are if width is a multiple of 4, rows of `out` if
//          height is. Each side falls back to single floats independently.

#ifndef SIDE
#define SIDE 64
#endif
#ifndef THREADS
#define THREADS 512
#endif
#define FOURS (SIDE * SIDE / 4 / THREADS)  // float4 that a thread loads, and stores

static_assert(FOURS >= 1 && FOURS * THREADS * 4 == SIDE * SIDE, "tile and threads do not fit");

__global__ void __launch_bounds__(THREADS)
    transpose_best(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ float tile[SIDE][SIDE + 1];

    const int number = blockIdx.y * gridDim.x + blockIdx.x;
    const int x0 = number / gridDim.y * SIDE;  // first column of in
    const int y0 = number % gridDim.y * SIDE;  // first row of in

    if (width % 4 == 0) {
        float4 four[FOURS];
#pragma unroll
        for (int s = 0; s < FOURS; s++) {
            const int t = threadIdx.x + s * THREADS;
            const int row = y0 + t / (SIDE / 4);
            const int column = x0 + 4 * (t % (SIDE / 4));
            four[s] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (row < height && column < width) {
                four[s] = *reinterpret_cast<const float4 *>(in + (size_t)row * width + column);
            }
        }
#pragma unroll
        for (int s = 0; s < FOURS; s++) {
            const int t = threadIdx.x + s * THREADS;
            float *to = &tile[t / (SIDE / 4)][4 * (t % (SIDE / 4))];
            to[0] = four[s].x;
            to[1] = four[s].y;
            to[2] = four[s].z;
            to[3] = four[s].w;
        }
    } else {
        float one[4 * FOURS];
#pragma unroll
        for (int s = 0; s < 4 * FOURS; s++) {
            const int t = threadIdx.x + s * THREADS;
            const int row = y0 + t / SIDE;
            const int column = x0 + t % SIDE;
            one[s] = row < height && column < width ? in[(size_t)row * width + column] : 0.0f;
        }
#pragma unroll
        for (int s = 0; s < 4 * FOURS; s++) {
            const int t = threadIdx.x + s * THREADS;
            tile[t / SIDE][t % SIDE] = one[s];
        }
    }
    __syncthreads();

    if (height % 4 == 0) {
#pragma unroll
        for (int s = 0; s < FOURS; s++) {
            const int t = threadIdx.x + s * THREADS;
            const int column = t / (SIDE / 4);  // of the tile; a row of out
            const int row = 4 * (t % (SIDE / 4));
            if (x0 + column < width && y0 + row < height) {
                *reinterpret_cast<float4 *>(out + (size_t)(x0 + column) * height + y0 + row) =
                    make_float4(tile[row][column], tile[row + 1][column], tile[row + 2][column],
                                tile[row + 3][column]);
            }
        }
    } else {
#pragma unroll
        for (int s = 0; s < 4 * FOURS; s++) {
            const int t = threadIdx.x + s * THREADS;
            const int column = t / SIDE;
            const int row = t % SIDE;
            if (x0 + column < width && y0 + row < height) {
                out[(size_t)(x0 + column) * height + y0 + row] = tile[row][column];
            }
        }
    }
}
