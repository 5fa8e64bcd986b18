#include <stdio.h>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <mma.h>
#include <thrust/device_vector.h>
#define CUDA_CHECK(x) do { auto err = (x); if (err) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, #x); exit(1); } } while (0)
#define IDX(r, c, w) ((r) * (w) + (c))
#define DEFINE_KERNEL(T, NAME) __global__ void NAME##_##T(T *p) { p[threadIdx.x] = T(0); }
DEFINE_KERNEL(float, zero)
DEFINE_KERNEL(int, zero)
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 16
#endif
#if BLOCK_SIZE > 32
#error too big
#endif
using namespace nvcuda;
texture<float, cudaTextureType2D, cudaReadModeElementType> texRef;
static __device__ __constant__ float d_filter[64];
__constant__ __device__ int4 lut[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__managed__ int managed = 3;
inline __host__ __device__ int divUp(int a, int b) { return (a + b - 1) / b; }
constexpr int kHalo = (BLOCK_SIZE > 8) ? 2 : 1;
static constexpr __device__ float table[] = {1.f, 2.f};
constexpr __host__ __device__ int square(int x) { return x * x; }
constexpr int cube(int x) { return x * x * x; }
struct SharedMem { float a[BLOCK_SIZE][BLOCK_SIZE + 1]; int flags; bool ok = false; };
template <typename T> struct Traits; template <> struct Traits<float> { using vec = float4; static constexpr int n = 4; };
template <typename T, typename = typename std::enable_if<std::is_floating_point<T>::value>::type> __device__ T half_of(T x) { return x / T(2); }
template <class T> class Span2D { public: __host__ __device__ Span2D(T *p, int w, int h) : p_(p), w_(w), h_(h) {}
  __device__ T &operator()(int y, int x) const { return p_[y * w_ + x]; } __device__ bool in(int y, int x) const { return y >= 0 && y < h_ && x >= 0 && x < w_; }
  int width() const { return w_; } friend class Other; private: T *p_; int w_, h_; };
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
template <typename Op> __device__ float reduce(float v, Op op) { for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_down_sync(0xffffffffu, v, o)); return v; }
__device__ __noinline__ void swap2(float &a, float &b) { float t = a; a = b; b = t; }
__device__ int fact(int n);
__device__ int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
__global__ void tiled(const float *A, const float *B, float *C, const int M, const int N, const int K)
{
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE], Bs[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ SharedMem sm;
    extern __shared__ __align__(16) unsigned char raw[];
    float *dyn = reinterpret_cast<float *>(raw), *dyn2 = (float *)&raw[BLOCK_SIZE * sizeof(float)];
    auto tile = (float (*)[BLOCK_SIZE + 1])dyn;
    const int row = blockIdx.y * BLOCK_SIZE + threadIdx.y, col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float acc = 0.0f, regs[4] = {};
    const float4 *A4 = (const float4 *)A; float4 v4 = __ldg(&A4[0]); v4.x += A4[1].y;
    for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
        As[threadIdx.y][threadIdx.x] = (row < M && t * BLOCK_SIZE + threadIdx.x < K) ? A[IDX(row, t * BLOCK_SIZE + threadIdx.x, K)] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = row < M ? B[0] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BLOCK_SIZE; k++) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
    Span2D<float> s(C, N, M); if (s.in(row, col)) s(row, col) = half_of(acc);
    Span2D<const float> sc{A, N, M};
    float r = reduce(acc, Add()); r = reduce(acc, Add{}); r = reduce(acc, [] __device__ (float a, float b) { return a * b; });
    Traits<float>::vec q = make_float4(1, 2, 3, 4); int nn = Traits<float>::n * 2; unsigned mask = __ballot_sync(~0u, r > 0);
    __half h = __float2half(1.0f); half2 h2; wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> frag;
    size_t bytes = sizeof(float) * BLOCK_SIZE, sz = sizeof(As) / sizeof(*As); long long start = clock64();
    r = tex2D(texRef, 1.0f, 2.0f) + ::fabsf(r) + std::fmax(1.f, 2.f) + -INFINITY + NAN + FLT_MAX;
    if (threadIdx.x == 0 and not (row == 0)) printf("%f\n", r);
    int i = 0, *pi = &i; *pi *= 2; i = *pi * *pi; i = i * -1; i = (i) + (int)(r) - (int)r * (nn); (*pi)++; const char *msg = "a\tb"; bool b = !i || i && (i & 1);
    float (&rowref)[BLOCK_SIZE] = As[0]; rowref[0] = 1; float2 pr = {1.f, 2.f}; pr = float2{3, 4}; pr = {5, 6}; uint3 u3 = threadIdx;
    asm("bar.sync 0;"); __threadfence(); int lane; asm volatile("mov.u32 %0, %laneid;" : "=r"(lane)); __pipeline_memcpy_async(&As[0][0], A, 16);
    switch (i) { case 'a': default: break; }
}
template <int R, bool Edge = (R > 2)> __global__ void stencil(float *o) { if constexpr (Edge) { o[0] = R; } static_assert(R >= 1); int x = R<3; x = Edge ? 1 : 2; }
template <typename T> void launch(T *p) { stencil<3><<<1, 2, 0, 0>>>(p); }
void run(float *h_out, const float *h_in, int n) { float *d; CUDA_CHECK(cudaMalloc((void **)&d, n * sizeof(float))); tiled<<<dim3(1, 1), dim3(16, 16)>>>(d, d, d, 1, 2, 3); }
bool check(const float *a, const float *b, int n, float eps = 1e-5f) { return true; }
#ifdef __cplusplus
extern "C"
#endif
void entry(void);
static inline double now() { struct timeval tv; gettimeofday(&tv, 0); return tv.tv_sec + 1e-6 * tv.tv_usec; }
int (*callback)(const void *, const void *) = nullptr;
thrust::device_vector<float> tv(10);
unsigned int seeds[] = { 1u, 2u };
struct HostOnly { FILE *f; std::vector<int> v; HostOnly(const HostOnly &) = delete; HostOnly &operator=(const HostOnly &) = delete; virtual ~HostOnly() = default; operator bool() const { return f; } };
int main() { return 0; }
