// Measures every `best` kernel, the steps of its ladder and the teaching kernels on the card of this machine, each
// against a copy (cudaMemcpy from device to device) or cuBLAS of the same run. Prints one JSON object per line.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -o bench bench.cu -lcublas && ./bench
//
// Every output is poisoned before and compared with a simple kernel. Times are of single launches between two events
// (median, and the 10th and 90th of 100), and of 16 launches in a row divided by 16 (median of 9). Buffers rotate, so that
// a launch does not find its data in the L2 cache.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>
#include <cublas_v2.h>
#include <cuda_pipeline.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("{\"error\":\"%s:%d %s\"}\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

namespace stencil {
#include "../../solutions/lab-1-stencil/best.cu"
#undef BLOCK
#undef GROUPS
}
namespace stencil2 {
#undef GROUPS
#define GROUPS 1
#include "../../solutions/lab-1-stencil/best.cu"
#undef BLOCK
#undef GROUPS
}
namespace stencil_naive_ {
#include "../../solutions/lab-1-stencil/naive.cu"
#undef BLOCK
}
namespace stencil_shared_ {
#include "../../solutions/lab-1-stencil/shared.cu"
#undef BLOCK
#undef MAX_RADIUS
}
namespace conv {
#include "../../solutions/lab-4-tiled-convolution/best.cu"
#include "ladder/convolution.cu"
#undef WARPS
#undef ROWS_1
#undef ROWS_2
#undef ROWS_3
#undef ROWS_WIDE
#undef RING_WARPS
#undef RING_PAIRS
#undef ROWS_3_LARGE
#undef ROWS_3_LAST
#undef LAST_3
#undef MAX_RADIUS
}
namespace conv_even {
#define LAST_3 (1 << 20)
#define ROWS_3_LAST 32
#define ROWS_2 16
#include "../../solutions/lab-4-tiled-convolution/best.cu"
#undef WARPS
#undef ROWS_1
#undef ROWS_2
#undef ROWS_3
#undef ROWS_WIDE
#undef RING_WARPS
#undef RING_PAIRS
#undef ROWS_3_LARGE
#undef ROWS_3_LAST
#undef LAST_3
#undef MAX_RADIUS
}
namespace conv_ring {
#include "ladder/convolution_ring.cu"
}
namespace conv_pointer {
#include "../../solutions/lab-2-convolution/best.cu"
#undef WARPS
#undef ROWS_1
#undef ROWS_2
#undef ROWS_3
#undef ROWS_WIDE
#undef AHEAD_3
#undef MAX_RADIUS
}
namespace conv_naive_ {
#include "../../solutions/lab-2-convolution/naive.cu"
#undef BLOCK_X
#undef BLOCK_Y
}
namespace conv_constant_ {
#include "../../solutions/lab-3-constant-memory/conv2d_constant.cu"
#undef BLOCK_X
#undef BLOCK_Y
#undef MAX_RADIUS
}
namespace conv_input_ {
#include "../../solutions/lab-4-tiled-convolution/input_tile.cu"
#undef TILE
#undef MAX_RADIUS
}
namespace conv_tile_ {
#include "../../solutions/lab-4-tiled-convolution/output_tile.cu"
#undef TILE
#undef MAX_RADIUS
}
namespace fir {
#include "../../solutions/lab-3-constant-memory/best.cu"
#undef BLOCK
#undef OUTPUTS
#undef MAX_TAPS
}
namespace fir4 {
#define OUTPUTS 4
#include "../../solutions/lab-3-constant-memory/best.cu"
#undef BLOCK
#undef OUTPUTS
#undef MAX_TAPS
}
namespace fir_constant_ {
#include "../../solutions/lab-3-constant-memory/fir_constant.cu"
#undef BLOCK
#undef MAX_TAPS
}
namespace transpose {
#include "../../solutions/lab-7-transpose/best.cu"
#undef SIDE
#undef THREADS
#undef FOURS
#include "ladder/transpose.cu"
}
namespace transpose32 {
#define SIDE 32
#define THREADS 256
#include "../../solutions/lab-7-transpose/best.cu"
#undef SIDE
#undef THREADS
#undef FOURS
}
namespace transpose64 {
#define THREADS 256
#include "../../solutions/lab-7-transpose/best.cu"
#undef SIDE
#undef THREADS
#undef FOURS
}
namespace transpose_rows_ {
#include "../../solutions/lab-7-transpose/naive_read_rows.cu"
#undef BLOCK_X
#undef BLOCK_Y
}
namespace transpose_padded_ {
#include "../../solutions/lab-7-transpose/padded.cu"
#undef TILE_X
#undef TILE_Y
#undef PAD
}
namespace matmul_naive_ {
#include "../../solutions/lab-6-tiled-matmul/naive.cu"
#undef BLOCK_X
#undef BLOCK_Y
#undef BLOCK
}
namespace matmul_tiled_ {
#include "../../solutions/lab-6-tiled-matmul/tiled.cu"
#undef TILE
}
namespace matmul_register_ {
#include "../../solutions/lab-6-tiled-matmul/register_tiled.cu"
#undef THREADS
#undef TILE
#undef STEP
}
#define MATMUL_NAME matmul_8x8
#define ROWS 8
#define COLUMNS 8
#define LANES_M 4
#include "ladder/matmul_setting.h"
#define MATMUL_NAME matmul_large
#define TILE_M 128
#define BLOCKS_PER_MULTIPROCESSOR 2
#include "ladder/matmul_setting.h"
#define MATMUL_NAME matmul_wide
#define TILE_N 256
#define BLOCKS_PER_MULTIPROCESSOR 2
#include "ladder/matmul_setting.h"
#define MATMUL_NAME matmul
#include "ladder/matmul_setting.h"

// ---- references
__global__ void fill(float *p, size_t n, unsigned seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 747796405u + seed;
        x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
        p[i] = x * (2.0f / 4294967296.0f) - 1.0f;
    }
}
__global__ void worst(const float *a, const float *b, size_t n, float *o) {
    float mx = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const float d = fabsf(a[i] - b[i]);
        mx = d >= 0 ? fmaxf(mx, d) : INFINITY;  // NaN, left from the poison, counts as infinite
    }
    atomicMax((int *)o, __float_as_int(mx));
}
__global__ void ref_stencil(const float *in, const float *w, float *out, int n, int r) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    if (i >= r && i < n - r) for (int j = 0; j <= 2 * r; j++) s += w[j] * in[i - r + j];
    out[i] = s;
}
__global__ void ref_conv(const float *in, const float *f, float *out, int height, int width, int r) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float s = 0;
    for (int i = 0; i <= 2 * r; i++) for (int j = 0; j <= 2 * r; j++) {
        const int yy = y - r + i, xx = x - r + j;
        if (yy >= 0 && yy < height && xx >= 0 && xx < width) s += f[i * (2 * r + 1) + j] * in[(size_t)yy * width + xx];
    }
    out[(size_t)y * width + x] = s;
}
__global__ void ref_fir(const float *x, const float *f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = 0; k < taps; k++) if (i + k < n) s += f[k] * x[i + k];
    y[i] = s;
}
__global__ void ref_transpose(const float *in, float *out, int height, int width) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < (size_t)height * width) out[i % width * height + i / width] = in[i];
}
__global__ void ref_matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= m) return;
    float s = 0;
    for (int p = 0; p < k; p++) s += a[(size_t)y * k + p] * b[(size_t)p * n + x];
    c[(size_t)y * n + x] = s;
}

// ---- measuring
static float *in[8], *out[8], *ref, *err, *weights;
static int buffers = 1;
static std::string head;
static cublasHandle_t handle;
static int ceil_div(long long a, long long b) { return (int)((a + b - 1) / b); }

struct Time { double median, low, high, batch; };
static Time copy_time;
static Time summary(std::vector<float> &v, std::vector<float> &b) {
    std::sort(v.begin(), v.end()); std::sort(b.begin(), b.end());
    return {v[v.size() / 2], v[v.size() / 10], v[v.size() * 9 / 10], b.empty() ? 0.0 : b[b.size() / 2]};
}
// Single launches of two kinds, each waited for, in turn, so that both meet the same clock and the same overhead: large
// products and convolutions take the card to its power limit, and of a launch of a few microseconds a third is overhead,
// which varies.
template <class F, class G> void measure_in_turn(F f, G g, int reps, Time &of_f, Time &of_g) {
    cudaEvent_t s, e;
    CK(cudaEventCreate(&s)); CK(cudaEventCreate(&e));
    std::vector<float> v, w, none;
    auto time = [&](auto &launch, int q, std::vector<float> &into) {
        CK(cudaEventRecord(s)); launch(q); CK(cudaEventRecord(e)); CK(cudaEventSynchronize(e));
        float t; CK(cudaEventElapsedTime(&t, s, e)); into.push_back(t);
    };
    for (int i = 0; i < 3; i++) { f(i % buffers); g(i % buffers); }
    // Buffers rotate, and the two are half a round apart: neither finds the other's data in the L2 cache.
    for (int i = 0; i < reps; i++) { time(f, i % buffers, v); time(g, (i + buffers / 2) % buffers, w); }
    CK(cudaGetLastError());
    of_f = summary(v, none); of_g = summary(w, none);
}
template <class F> Time measure(F f, int reps, int row) {
    cudaEvent_t s, e;
    CK(cudaEventCreate(&s)); CK(cudaEventCreate(&e));
    std::vector<float> v, b;
    for (int i = 0; i < 3; i++) f(i % buffers);
    for (int i = 0; i < reps; i++) {
        CK(cudaEventRecord(s)); f(i % buffers); CK(cudaEventRecord(e)); CK(cudaEventSynchronize(e));
        float t; CK(cudaEventElapsedTime(&t, s, e)); v.push_back(t);
    }
    for (int i = 0; i < 9 && row > 1; i++) {
        CK(cudaEventRecord(s)); for (int j = 0; j < row; j++) f(j % buffers); CK(cudaEventRecord(e)); CK(cudaEventSynchronize(e));
        float t; CK(cudaEventElapsedTime(&t, s, e)); b.push_back(t / row);
    }
    CK(cudaGetLastError());
    return summary(v, b);
}
static float difference(const float *got, size_t n) {
    float d;
    CK(cudaMemset(err, 0, 4));
    worst<<<264, 256>>>(got, ref, n, err);
    CK(cudaMemcpy(&d, err, 4, cudaMemcpyDeviceToHost));
    return d;
}
static void line(const char *lab, const char *what, const char *size, const Time &t, double bytes, double flops, const Time &base, const char *base_name, float diff) {
    printf("{%s,\"lab\":\"%s\",\"kernel\":\"%s\",\"size\":\"%s\",\"median_ms\":%.5f,\"p10_ms\":%.5f,\"p90_ms\":%.5f,\"in_a_row_ms\":%.5f,\"gb_per_s\":%.1f,\"gflop_per_s\":%.1f,\"of_%s\":%.3f,\"of_%s_in_a_row\":%.3f,\"worst_difference\":\"%.1e\"}\n",
           head.c_str(), lab, what, size, t.median, t.low, t.high, t.batch, bytes / t.median * 1e-6, flops / t.median * 1e-6, base_name, base.median / t.median, base_name, t.batch > 0 ? base.batch / t.batch : 0.0, diff);
    fflush(stdout);
}
static void begin(const char *lab, const char *size, size_t n, int nb) {
    buffers = nb;
    for (int i = 0; i < nb; i++) fill<<<264, 256>>>(in[i], n, 5);
    auto copy = [&](int q) { cudaMemcpyAsync(out[q], in[q], n * 4, cudaMemcpyDeviceToDevice); };
    copy_time = measure(copy, 100, 16);
    line(lab, "copy", size, copy_time, 8.0 * n, 0, copy_time, "copy", 0);
}
template <class F> void run(const char *lab, const char *what, const char *size, size_t n, double flops, F launch) {
    CK(cudaMemset(out[0], 0xff, n * 4));
    const Time t = measure(launch, 100, 16);
    line(lab, what, size, t, 8.0 * n, flops, copy_time, "copy", difference(out[0], n));
}

// A kernel first for itself like the steps before it, then in turn with the copy.
template <class F> void run_both_ways(const char *lab, const char *what, const char *size, size_t n, double flops, F launch) {
    run(lab, (std::string(what) + ", one after the other").c_str(), size, n, flops, launch);
    CK(cudaMemset(out[0], 0xff, n * 4));
    Time beside, t;
    measure_in_turn([&](int q) { cudaMemcpyAsync(out[q], in[q], n * 4, cudaMemcpyDeviceToDevice); }, launch, 100, beside, t);
    beside.batch = copy_time.batch; t.batch = measure(launch, 1, 16).batch;
    line(lab, (std::string("copy beside ") + what).c_str(), size, beside, 8.0 * n, 0, beside, "copy", 0);
    CK(cudaMemset(out[0], 0xff, n * 4)); launch(0);
    line(lab, what, size, t, 8.0 * n, flops, beside, "copy", difference(out[0], n));
}
template <class F> void run_best(const char *lab, const char *size, size_t n, double flops, F launch) {
    run_both_ways(lab, "best", size, n, flops, launch);
}

template <int R> void time_stencil(int n) {
    char size[64]; snprintf(size, 64, "n=%d radius=%d", n, R);
    begin("stencil", size, n, 4);
    ref_stencil<<<ceil_div(n, 256), 256>>>(in[0], weights, ref, n, R);
    const double f = 2.0 * (2 * R + 1) * n;
    run("stencil", "naive", size, n, f, [&](int q) { stencil_naive_::stencil_naive<<<ceil_div(n, 256), 256>>>(in[q], weights, out[q], n, R); });
    run("stencil", "shared", size, n, f, [&](int q) { stencil_shared_::stencil_shared<<<ceil_div(n, 256), 256>>>(in[q], weights, out[q], n, R); });
    run("stencil", "best (chooses inside)", size, n, f, [&](int q) { stencil::stencil_best<<<ceil_div(n, 1024), 128>>>(in[q], weights, out[q], n, R); });
    run("stencil", "ladder: best, GROUPS 1", size, n, f, [&](int q) { stencil2::stencil_best_radius<R><<<ceil_div(n, 512), 128>>>(in[q], weights, out[q], n); });
    run_best("stencil", size, n, f, [&](int q) { stencil::stencil_best_radius<R><<<ceil_div(n, 1024), 128>>>(in[q], weights, out[q], n); });
}
static int rows_of_pointer(int r) { return r == 3 ? 12 : r <= 2 ? 4 : 32; }  // lab 2's
static dim3 conv_grid(int h, int w, int rows) { return dim3(ceil_div(w, 128), ceil_div(h, 4 * rows)); }
// Lab 4's: up to radius 3 warps side by side, at radius 3 long strips and at the end short ones.
static dim3 best_grid(int h, int w, int r) {
    if (r > 3) return conv_grid(h, w, 32);
    const int rows = h < 8192 ? 48 : 80, last = h < 8192 ? 1024 : 512, longs = r == 3 && h > 2048 ? (h - last) / rows : 0;
    return dim3(ceil_div(w, 128 * 4), longs + ceil_div(h - longs * rows, r == 3 ? 16 : 8));
}
static dim3 best_block(int) { return dim3(32, 4); }
template <int R> void time_conv(int N) {
    char size[64]; snprintf(size, 64, "%dx%d filter %dx%d", N, N, 2 * R + 1, 2 * R + 1);
    const size_t n = (size_t)N * N;
    begin("convolution", size, n, n < (1 << 24) ? 8 : 2);
    ref_conv<<<dim3(ceil_div(N, 32), ceil_div(N, 8)), dim3(32, 8)>>>(in[0], weights, ref, N, N, R);
    const double f = 2.0 * (2 * R + 1) * (2 * R + 1) * n;
    const dim3 b(32, 4), one(ceil_div(N, 32), ceil_div(N, 8));
    run("convolution", "naive", size, n, f, [&](int q) { conv_naive_::conv2d_naive<<<dim3(ceil_div(N, 16), ceil_div(N, 16)), dim3(16, 16)>>>(in[q], weights, out[q], N, N, R); });
    run("convolution", "output_tile", size, n, f, [&](int q) { conv_tile_::conv2d_output_tile<<<dim3(ceil_div(N, 16), ceil_div(N, 16)), dim3(16, 16)>>>(in[q], out[q], N, N, R); });
    run("convolution", "ladder: unrolled", size, n, f, [&](int q) { conv::conv2d_unrolled<R><<<one, dim3(32, 8)>>>(in[q], out[q], N, N); });
    run("convolution", "ladder: strip of 4 rows", size, n, f, [&](int q) { conv::conv2d_strip<R, 4><<<conv_grid(N, N, 4), b>>>(in[q], out[q], N, N); });
    if (R == 3) run("convolution", "ladder: ring", size, n, f, [&](int q) { conv_ring::conv2d_ring<<<dim3(ceil_div(N, 128 * 8), ceil_div(N, 32)), dim3(32, 8)>>>(in[q], out[q], N, N); });
    if (R == 2) run("convolution", "best, ROWS_2 16", size, n, f, [&](int q) { conv_even::conv2d_best_radius<R><<<dim3(ceil_div(N, 128 * 4), ceil_div(N, 16)), b>>>(in[q], out[q], N, N); });
    if (R == 3) run("convolution", "ladder: best, all strips of 32 rows", size, n, f, [&](int q) { conv_even::conv2d_best_radius<R><<<dim3(ceil_div(N, 128 * 4), ceil_div(N, 32)), b>>>(in[q], out[q], N, N); });
    run("convolution", "lab 2 best", size, n, f, [&](int q) { conv_pointer::conv2d_best_radius<R><<<conv_grid(N, N, rows_of_pointer(R)), b>>>(in[q], weights, out[q], N, N); });
    run("convolution", "best (chooses inside)", size, n, f, [&](int q) { conv::conv2d_best<<<best_grid(N, N, R), best_block(R)>>>(in[q], out[q], N, N, R); });
    run_best("convolution", size, n, f, [&](int q) { conv::conv2d_best_radius<R><<<best_grid(N, N, R), best_block(R)>>>(in[q], out[q], N, N); });
}
static void time_fir(int n, int nb) {
    char size[64]; snprintf(size, 64, "n=%d taps=32", n);
    begin("fir", size, n, nb);
    ref_fir<<<ceil_div(n, 256), 256>>>(in[0], weights, ref, n, 32);
    run("fir", "fir_constant", size, n, 64.0 * n, [&](int q) { fir_constant_::fir_constant<<<ceil_div(n, 256), 256>>>(in[q], out[q], n, 32); });
    run("fir", "best, OUTPUTS 4", size, n, 64.0 * n, [&](int q) { fir4::fir_best<<<ceil_div(n, 1024), 256>>>(in[q], out[q], n, 32); });
    run("fir", "best", size, n, 64.0 * n, [&](int q) { fir::fir_best<<<ceil_div(n, 2048), 256>>>(in[q], out[q], n, 32); });
}
static void time_transpose(int h, int w) {
    char size[64]; snprintf(size, 64, "%dx%d", h, w);
    const size_t n = (size_t)h * w;
    begin("transpose", size, n, n > (1u << 27) ? 2 : 4);
    ref_transpose<<<ceil_div(n, 256), 256>>>(in[0], ref, h, w);
    const float one = 1, zero = 0;
    run("transpose", "cublasSgeam", size, n, 0, [&](int q) { cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, h, w, &one, in[q], w, &zero, in[q], h, out[q], h); });
    run("transpose", "naive_read_rows", size, n, 0, [&](int q) { transpose_rows_::transpose_naive_read_rows<<<dim3(ceil_div(w, 32), ceil_div(h, 16)), dim3(32, 16)>>>(in[q], out[q], h, w); });
    run("transpose", "padded", size, n, 0, [&](int q) { transpose_padded_::transpose_padded<<<dim3(ceil_div(w, 32), ceil_div(h, 16)), dim3(32, 16)>>>(in[q], out[q], h, w); });
    run("transpose", "ladder: loop", size, n, 0, [&](int q) { transpose::transpose_loop<<<dim3(ceil_div(w, 32), ceil_div(h, 32)), dim3(32, 8)>>>(in[q], out[q], h, w); });
    run("transpose", "ladder: best, SIDE 32 THREADS 256", size, n, 0, [&](int q) { transpose32::transpose_best<<<dim3(ceil_div(w, 32), ceil_div(h, 32)), 256>>>(in[q], out[q], h, w); });
    run("transpose", "ladder: best, THREADS 256", size, n, 0, [&](int q) { transpose64::transpose_best<<<dim3(ceil_div(w, 64), ceil_div(h, 64)), 256>>>(in[q], out[q], h, w); });
    if (h % 64 == 0 && w % 64 == 0) run_both_ways("transpose", "ladder: marked as used once", size, n, 0, [&](int q) { transpose::transpose_once<<<dim3(w / 64, h / 64), 512>>>(in[q], out[q], h, w); });
    run_best("transpose", size, n, 0, [&](int q) { transpose::transpose_best<<<dim3(ceil_div(w, 64), ceil_div(h, 64)), 512>>>(in[q], out[q], h, w); });
}
static void time_matmul(int m, int n, int k, int reps, bool all) {
    char size[64]; snprintf(size, 64, "%dx%dx%d", m, n, k);
    float *a = in[0], *b = in[1], *c = out[0];
    buffers = 1;
    fill<<<264, 256>>>(a, (size_t)m * k, 1); fill<<<264, 256>>>(b, (size_t)k * n, 2);
    ref_matmul<<<dim3(ceil_div(n, 32), ceil_div(m, 8)), dim3(32, 8)>>>(a, b, ref, m, n, k);
    const float one = 1, zero = 0;
    const double f = 2.0 * m * n * k;
    const size_t size_c = (size_t)m * n;
    Time base{};
    auto go = [&](const char *what, int reps, auto launch) {
        CK(cudaMemset(c, 0xff, size_c * 4));
        const Time t = measure(launch, reps, 1);
        line("matmul", what, size, t, 4.0 * ((double)m * k + (double)k * n + size_c), f, base, "cublas", difference(c, size_c));
    };
    auto vendor = [&](int) { cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n); };
    auto best = [&](int) { matmul::matmul_best<<<dim3(ceil_div(n, 128), ceil_div(m, 64)), 64>>>(a, b, c, m, n, k); };
    auto in_turn = [&](const char *vendor_name, const char *best_name) {
        Time t;
        measure_in_turn(vendor, best, reps, base, t);
        const double bytes = 4.0 * ((double)m * k + (double)k * n + size_c);
        CK(cudaMemset(c, 0xff, size_c * 4)); vendor(0);
        line("matmul", vendor_name, size, base, bytes, f, base, "cublas", difference(c, size_c));
        CK(cudaMemset(c, 0xff, size_c * 4)); best(0);
        line("matmul", best_name, size, t, bytes, f, base, "cublas", difference(c, size_c));
    };
    in_turn("cublasSgemm", "best");
    if (all) {
        go("naive", 3, [&](int) { matmul_naive_::matmul_naive<<<dim3(ceil_div(n, 16), ceil_div(m, 16)), dim3(16, 16)>>>(a, b, c, m, n, k); });
        go("tiled", 3, [&](int) { matmul_tiled_::matmul_tiled<<<dim3(ceil_div(n, 16), ceil_div(m, 16)), dim3(16, 16)>>>(a, b, c, m, n, k); });
        go("register_tiled", 5, [&](int) { matmul_register_::matmul_register_tiled<<<dim3(ceil_div(n, 64), ceil_div(m, 64)), dim3(16, 16)>>>(a, b, c, m, n, k); });
    }
    go("ladder: best, 8 x 8 outputs", reps, [&](int) { matmul_8x8::matmul_best<<<dim3(ceil_div(n, 128), ceil_div(m, 64)), 128>>>(a, b, c, m, n, k); });
    go("ladder: best, TILE_M 128", reps, [&](int) { matmul_large::matmul_best<<<dim3(ceil_div(n, 128), ceil_div(m, 128)), 128>>>(a, b, c, m, n, k); });
    go("ladder: best, TILE_N 256", reps, [&](int) { matmul_wide::matmul_best<<<dim3(ceil_div(n, 256), ceil_div(m, 64)), 128>>>(a, b, c, m, n, k); });
    in_turn("cublasSgemm again", "best again");
}

// ---- lab 4's published table: a whole application, 2048 x 2048, 3 x 3
struct Stopwatch {
    timespec from;
    Stopwatch() { restart(); }
    void restart() { clock_gettime(CLOCK_MONOTONIC, &from); }
    double ms() const { timespec now; clock_gettime(CLOCK_MONOTONIC, &now); return (now.tv_sec - from.tv_sec) * 1e3 + (now.tv_nsec - from.tv_nsec) * 1e-6; }
};
static double median_of(std::vector<double> v) { std::sort(v.begin(), v.end()); return v[v.size() / 2]; }
static void application_line(const char *what, const std::vector<double> (&parts)[5], double whole) {
    printf("{%s,\"application\":\"%s\",\"allocate_ms\":%.4f,\"to_device_ms\":%.4f,\"kernel_ms\":%.4f,\"to_host_ms\":%.4f,\"free_ms\":%.4f,\"whole_ms\":%.4f}\n",
           head.c_str(), what, median_of(parts[0]), median_of(parts[1]), median_of(parts[2]), median_of(parts[3]), median_of(parts[4]), whole);
    fflush(stdout);
}
// Host's clock, the device waited for after each part; memory of the host that is not page-locked, as in a first program.
template <class F> void application(const char *what, const std::vector<float> &image, std::vector<float> &result, const float *filter, F launch) {
    const size_t bytes = image.size() * 4;
    std::vector<double> parts[5], whole;
    for (int i = 0; i < 12; i++) {
        double t[5];
        float *x, *y, *w;
        Stopwatch all, part;
        CK(cudaMalloc(&x, bytes)); CK(cudaMalloc(&y, bytes)); CK(cudaMalloc(&w, 36)); t[0] = part.ms(); part.restart();
        CK(cudaMemcpy(x, image.data(), bytes, cudaMemcpyHostToDevice)); CK(cudaMemcpy(w, filter, 36, cudaMemcpyHostToDevice)); CK(cudaDeviceSynchronize()); t[1] = part.ms(); part.restart();
        launch(x, w, y); CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); t[2] = part.ms(); part.restart();
        CK(cudaMemcpy(result.data(), y, bytes, cudaMemcpyDeviceToHost)); t[3] = part.ms(); part.restart();
        CK(cudaFree(x)); CK(cudaFree(y)); CK(cudaFree(w)); t[4] = part.ms();
        if (i >= 2) { for (int j = 0; j < 5; j++) parts[j].push_back(t[j]); whole.push_back(all.ms()); }
    }
    application_line(what, parts, median_of(whole));
}
static void time_application() {
    const int N = 2048;
    std::vector<float> image((size_t)N * N), result(image.size()), expected(image.size());
    float filter[9];
    fill<<<264, 256>>>(in[0], image.size(), 5);
    CK(cudaMemcpy(image.data(), in[0], image.size() * 4, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(filter, weights, 36, cudaMemcpyDeviceToHost));
    std::vector<double> parts[5], whole;
    for (int i = 0; i < 5; i++) {
        Stopwatch all;
        for (int y = 0; y < N; y++) for (int x = 0; x < N; x++) {
            float s = 0;
            for (int j = -1; j <= 1; j++) for (int k = -1; k <= 1; k++) if (y + j >= 0 && y + j < N && x + k >= 0 && x + k < N) s += filter[(j + 1) * 3 + k + 1] * image[(size_t)(y + j) * N + x + k];
            expected[(size_t)y * N + x] = s;
        }
        for (auto &part : parts) part.push_back(0);
        whole.push_back(all.ms());
    }
    application_line("one thread of the host", parts, median_of(whole));
    const dim3 b(16, 16), g(N / 16, N / 16), inner(ceil_div(N, 14), ceil_div(N, 14));
    auto check = [&](const char *what) {
        float d = 0;
        for (size_t i = 0; i < image.size(); i++) { const float e = fabsf(result[i] - expected[i]); if (!(e <= d)) d = e; }
        if (!(d < 1e-5f)) { printf("{\"error\":\"%s is wrong by %g\"}\n", what, d); exit(1); }
    };
    application("naive", image, result, filter, [&](float *x, float *w, float *y) { conv_naive_::conv2d_naive<<<g, b>>>(x, w, y, N, N, 1); }); check("naive");
    application("constant", image, result, filter, [&](float *x, float *, float *y) { conv_constant_::conv2d_constant<<<g, b>>>(x, y, N, N, 1); }); check("constant");
    application("constant and tiled (`input_tile`)", image, result, filter, [&](float *x, float *, float *y) { conv_input_::conv2d_input_tile<<<inner, b>>>(x, y, N, N, 1); }); check("input_tile");
    application("constant and tiled (`output_tile`)", image, result, filter, [&](float *x, float *, float *y) { conv_tile_::conv2d_output_tile<<<g, b>>>(x, y, N, N, 1); }); check("output_tile");
    application("`best`", image, result, filter, [&](float *x, float *, float *y) { conv::conv2d_best_radius<1><<<best_grid(N, N, 1), best_block(1)>>>(x, y, N, N); }); check("best");
}

// ---- every size and radius
static void verdict(const char *lab, int cases, float d) {
    printf("{%s,\"check\":\"%s\",\"cases\":%d,\"worst_difference\":\"%.1e\",\"right\":%s}\n", head.c_str(), lab, cases, d, d < 2e-4f ? "true" : "false");
    fflush(stdout);
}
static void poison(size_t n) { CK(cudaMemset(out[0], 0xff, (n + 64) * 4)); }
template <int R> void check_conv(const int (&shapes)[9][2], float &c, float &p, int &cases) {
    for (auto &s : shapes) {
        const int h = s[0], w = s[1];
        const size_t n = (size_t)h * w;
        ref_conv<<<dim3(ceil_div(w, 32), ceil_div(h, 8)), dim3(32, 8)>>>(in[0], weights, ref, h, w, R);
        const dim3 g = best_grid(h, w, R), gb = best_block(R), gp = conv_grid(h, w, rows_of_pointer(R)), b(32, 4);
        auto check = [&](float &into) { CK(cudaGetLastError()); const float d = difference(out[0], n); if (!(d <= into)) into = d; cases++; };
        poison(n); conv::conv2d_best_radius<R><<<g, gb>>>(in[0], out[0], h, w); check(c);
        poison(n); conv::conv2d_best<<<g, gb>>>(in[0], out[0], h, w, R); check(c);
        poison(n); conv_pointer::conv2d_best_radius<R><<<gp, b>>>(in[0], weights, out[0], h, w); check(p);
        poison(n); conv_pointer::conv2d_best<<<gp, b>>>(in[0], weights, out[0], h, w, R); check(p);
    }
}
static void checks() {
    fill<<<264, 256>>>(in[0], 1 << 22, 5); fill<<<264, 256>>>(in[1], 1 << 22, 6);
    float d = 0; int cases = 0;
    for (int r = 0; r <= 16; r++) for (int n : {1, 3, 4, 31, 33, 100, 511, 513, 4099, 100000}) {
        ref_stencil<<<ceil_div(n, 256), 256>>>(in[0], weights, ref, n, r);
        poison(n); stencil::stencil_best<<<ceil_div(n, 1024), 128>>>(in[0], weights, out[0], n, r);
        const float e = difference(out[0], n); if (!(e <= d)) d = e; cases++;
    }
    verdict("stencil", cases, d);
    const int shapes[9][2] = {{1, 1}, {5, 3}, {7, 128}, {50, 132}, {129, 127}, {300, 516}, {255, 1030}, {777, 1001}, {200, 2100}};
    float c = 0, p = 0; cases = 0;
    check_conv<1>(shapes, c, p, cases); check_conv<2>(shapes, c, p, cases); check_conv<3>(shapes, c, p, cases); check_conv<4>(shapes, c, p, cases);
    check_conv<5>(shapes, c, p, cases); check_conv<6>(shapes, c, p, cases); check_conv<7>(shapes, c, p, cases);
    verdict("convolution, filter in constant memory", cases / 2, c); verdict("convolution, filter by pointer", cases / 2, p);
    d = 0; cases = 0;
    for (int taps = 1; taps <= 32; taps++) for (int n : {1, 5, 31, 100, 2047, 2049, 100003}) {
        ref_fir<<<ceil_div(n, 256), 256>>>(in[0], weights, ref, n, taps);
        poison(n); fir::fir_best<<<ceil_div(n, 2048), 256>>>(in[0], out[0], n, taps);
        const float e = difference(out[0], n); if (!(e <= d)) d = e; cases++;
    }
    verdict("fir", cases, d);
    d = 0; cases = 0;
    for (auto &s : shapes) for (int turn = 0; turn < 2; turn++) {
        const int h = s[turn], w = s[1 - turn];
        ref_transpose<<<ceil_div((size_t)h * w, 256), 256>>>(in[0], ref, h, w);
        poison((size_t)h * w); transpose::transpose_best<<<dim3(ceil_div(w, 64), ceil_div(h, 64)), 512>>>(in[0], out[0], h, w);
        const float e = difference(out[0], (size_t)h * w); if (!(e <= d)) d = e; cases++;
    }
    verdict("transpose", cases, d);
    d = 0; cases = 0;
    const int products[][3] = {{1, 1, 1}, {3, 4, 5}, {64, 128, 8}, {65, 129, 9}, {100, 3, 17}, {63, 132, 1}, {200, 300, 100}, {257, 255, 131}, {1, 1000, 77}, {500, 1, 33}};
    for (auto &s : products) {
        const int m = s[0], n = s[1], k = s[2];
        ref_matmul<<<dim3(ceil_div(n, 32), ceil_div(m, 8)), dim3(32, 8)>>>(in[0], in[1], ref, m, n, k);
        poison((size_t)m * n); matmul::matmul_best<<<dim3(ceil_div(n, 128), ceil_div(m, 64)), 64>>>(in[0], in[1], out[0], m, n, k);
        const float e = difference(out[0], (size_t)m * n); if (!(e <= d)) d = e; cases++;
    }
    verdict("matmul", cases, d);
    CK(cudaDeviceSynchronize());
}

int main() {
    cudaDeviceProp prop;
    CK(cudaGetDeviceProperties(&prop, 0));
    char driver[64] = "unknown", date[64];
    if (FILE *f = popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader", "r")) { if (fgets(driver, 64, f)) driver[strcspn(driver, "\n")] = 0; pclose(f); }
    const time_t now = time(nullptr);
    strftime(date, 64, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    head = std::string("\"date\":\"") + date + "\",\"card\":\"" + prop.name + "\",\"driver\":\"" + driver + "\"";
    if (const char *commit = getenv("WARPLAB_COMMIT")) head += std::string(",\"commit\":\"") + commit + "\"";
    const size_t large = (size_t)16384 * 16384;
    for (int i = 0; i < 8; i++) { CK(cudaMalloc(&in[i], (i < 2 ? large : large / 4) * 4)); CK(cudaMalloc(&out[i], (i < 2 ? large : large / 4) * 4)); }
    CK(cudaMalloc(&ref, large * 4)); CK(cudaMalloc(&err, 4)); CK(cudaMalloc(&weights, 1024 * 4));
    cublasCreate(&handle);
    fill<<<1, 256>>>(weights, 1024, 9);
    float w[225];
    CK(cudaMemcpy(w, weights, sizeof w, cudaMemcpyDeviceToHost));
    CK(cudaMemcpyToSymbol(conv::FILTER, w, 900)); CK(cudaMemcpyToSymbol(conv_even::FILTER, w, 900)); CK(cudaMemcpyToSymbol(conv_ring::FILTER, w, 49 * 4)); CK(cudaMemcpyToSymbol(conv_constant_::FILTER, w, 900)); CK(cudaMemcpyToSymbol(conv_input_::FILTER, w, 900)); CK(cudaMemcpyToSymbol(conv_tile_::FILTER, w, 900));
    CK(cudaMemcpyToSymbol(fir::TAPS, w, 128)); CK(cudaMemcpyToSymbol(fir4::TAPS, w, 128)); CK(cudaMemcpyToSymbol(fir_constant_::TAPS, w, 128));
    checks();
    time_application();
    time_stencil<3>(1 << 24); time_stencil<7>(1 << 24);
    time_stencil<3>(1 << 26); time_stencil<7>(1 << 26); time_stencil<16>(1 << 26);
    for (int N : {2048, 8192}) { time_conv<1>(N); time_conv<2>(N); time_conv<3>(N); }
    time_conv<5>(8192);
    time_fir(2048 * 2048, 8); time_fir(1 << 26, 2);
    time_transpose(4096, 4096); time_transpose(16384, 16384); time_transpose(4095, 4097); time_transpose(10000, 1000);
    time_matmul(4096, 4096, 4096, 15, true); time_matmul(8192, 8192, 8192, 5, false); time_matmul(4095, 4097, 4093, 15, false); time_matmul(1000, 1000, 1000, 30, false);
    CK(cudaDeviceSynchronize());
}
