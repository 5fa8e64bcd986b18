#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <iostream>
#include <vector>
#include "stdio.h"
namespace cg = cooperative_groups;
using namespace std;
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { std::cerr << cudaGetErrorString(e); exit(1); } } while (0)
#define RADIUS 3
constexpr int TILE = 16, N2 = TILE * 2;
static const float kWeights[3] = {0.25f, 0.5f, 0.25f};
__constant__ float c_mask[2 * RADIUS + 1], c_scale;
__device__ int counter = 0;
struct Params { int n; float alpha; float data[4]; };
typedef struct { float x, y; } Point;
struct __align__(16) Vec { float x, y, z, w;
  __host__ __device__ Vec() : x(0), y(0), z{0}, w(0) {}
  __device__ explicit Vec(float v) : x(v), y(v), z(v), w(v) {}
  __device__ float dot(const Vec &o) const { return x * o.x + y * o.y + z * o.z + w * o.w; }
  __device__ Vec operator+(const Vec &o) const { Vec r; r.x = x + o.x; return r; }
  __device__ float &operator[](int i) { return (&x)[i]; }
  static constexpr int size = 4;
};
template <typename T, int B = 16> struct Tile { T data[B][B + 1]; __device__ T &at(int i, int j) { return data[i][j]; } using type = T;
  template <typename U> __device__ U as(int i) const { return static_cast<U>(data[i][0]); } };
enum class Mode : int { Fast, Slow = 4 };
enum { A_VALUE = 1, B_VALUE };
union Bits { float f; unsigned u; };
using Real = float;
template <typename T> using Ptr = T *;
template <typename T> __device__ __forceinline__ T clampv(T v, T lo, T hi) { return v < lo ? lo : (v > hi ? hi : v); }
template <> __device__ float clampv<float>(float v, float lo, float hi) { return fminf(fmaxf(v, lo), hi); }
template <typename... Ts> __device__ float sum(Ts... ts) { return (0.0f + ... + ts); }
template <typename T, typename... Ts> __device__ T first(T a, Ts &&...rest) { if constexpr (sizeof...(Ts) > 0) return a + first(rest...); else return a; }
__device__ float apply(float (*f)(float), float x) { return f(x); }
__device__ float sumTile(float (&tile)[16][17], int n) { float s = 0; for (auto &row : tile) for (float v : row) s += v; return s; }
template <int BLOCK> __global__ void __launch_bounds__(256, 2) kernel(const float *__restrict__ in, float *__restrict out, int n, cudaTextureObject_t tex, const Params p) {
  extern __shared__ float smem[];
  __shared__ float tile[BLOCK][BLOCK + 1];
  __shared__ Tile<float, 8> t2;
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const int tx = threadIdx.x, ty = threadIdx.y;
  int gx = blockIdx.x * blockDim.x + tx;
  float4 v = reinterpret_cast<const float4 *>(in)[gx];
  float4 w = make_float4(1.f, .5f, 0x1p-1f, 1e-3f);
  float2 q{1.0f, 2.0f}; dim3 d(1, 2, 3); Point pt = {1, 2};
  unsigned long long int big = 1ull << 40; auto lam = [&, n](float x) -> float { return x * n; };
  float r = tex2D<float>(tex, tx + 0.5f, ty + 0.5f);
  #pragma unroll
  for (int i = 0; i < BLOCK; ++i) tile[ty][i] = in[(size_t)i * n + gx];
  #pragma unroll 4
  for (int i = 0, j = 10; i < j; i++, --j) { smem[i] += c_mask[j]; }
  __syncthreads();
  if (int k = gx % 2; k == 0) { out[gx] = tile[tx][ty]; } else if (gx < n) out[gx] = -1; else { return; }
  while (true) { if (gx > 3) break; continue; }
  do { gx--; } while (gx > 0);
  switch (gx & 3) { case 0: out[0] = 1; break; case A_VALUE: case 2: { out[1] = 2; } default: break; }
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(gx) : "r"(n), "f"(r) : "memory");
  float *ptr = &out[3]; *ptr = (float)(gx) * -1.0f + (gx < n && gx > 2 ? 1 : 0); int arr[2][3] = {{1, 2, 3}, {4, 5, 6}};
  Mode m = Mode::Fast; Vec a(1.0f), b; Vec c = a + b; float e = c.dot(Vec(2.0f)) + t2.as<float>(3);
  typename Tile<float>::type z = 0; Ptr<float> pp = out; bool bb = std::is_same<float, Real>::value;
  int mm = std::min<int>(3, 4) + max(1, 2) + sizeof(float4) + sizeof gx + sizeof(arr) / sizeof(arr[0]);
  atomicAdd(&counter, 1); done: out[0] = float(gx) + int{3}; (void)mm;
  float (*rowp)[3] = nullptr; const volatile int vi = 3; unsigned u = 3u; unsigned char uc = 'a'; 
  printf("%d %s\n", gx, "a" "b"); assert(n > 0); a[2] = 3; 
  Tile<Tile<float>, 4> *nested = 0; long l = (long)n >> 2; n <<= 1; struct L { int a; } loc{1};
  if (n >> 1 > 2) goto done;
}
template __global__ void kernel<16>(const float *, float *, int, cudaTextureObject_t, Params);
class Timer { std::chrono::high_resolution_clock::time_point t0; cudaEvent_t e; public: Timer() : t0() { } ~Timer() { cudaEventDestroy(e); } void start() { foo; } };
std::vector<float> g_data; static std::map<int, std::string> names = {{1, "a"}};
void host(std::vector<float> &v, const std::string& s = "x", ...) { for (auto& [k, w] : names) { } auto l = [](int x) { return x; }; }
template <typename T> std::vector<T> make(size_t n) { return std::vector<T>(n); }
std::ostream &operator<<(std::ostream &o, const Vec &v) { return o << v.x; }
extern "C" { void cfun(int); __global__ void ck(int *p) { *p = 1; } }
extern "C" __global__ void ck2(int *p) { p[threadIdx.x] = warpSize; }
namespace detail { namespace inner { __device__ int f(int x) { return x; } } struct S { int a; }; }
__device__ int useNs() { detail::S s; s.a = detail::inner::f(3); return s.a; }
int main(int argc, char **argv) {
  float *d; CHECK(cudaMalloc(&d, 4)); std::vector<float> v(10);
  kernel<16><<<dim3(1, 2), 32>>>(d, d, 3, 0, Params{}); 10ms; try { } catch (...) { }
  return 0;
}
