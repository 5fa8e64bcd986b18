enum class Mode : int { Zero, Clamp = 3 };
enum Axis { X, Y, Z };
struct Vec {
    float x, y;
    __device__ Vec(float x_, float y_) : x(x_), y(y_) {}
    __device__ Vec operator+(const Vec &o) const { Vec r(x + o.x, y + o.y); return r; }
    __device__ float dot(const Vec &o) const { return x * o.x + y * o.y; }
    __device__ Vec &operator+=(const Vec &o) { x += o.x; y += o.y; return *this; }
};
struct Pair { int a; float b[2]; };
union Bits { float f; unsigned u; };
namespace util {
constexpr int N = 8;
template <typename T> __device__ T clamp(T v, T lo, T hi) { return min(max(v, lo), hi); }
__device__ int twice(int x = N) { return 2 * x; }
}
using namespace util;
typedef float real;
using Index = unsigned int;
constexpr int factorial(int n) { int r = 1; for (int i = 2; i <= n; ++i) r *= i; return r; }
static_assert(factorial(5) == 120, "factorial");
__device__ constexpr float taps[3] = {0.25f, 0.5f, 0.25f};
__constant__ float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};

template <class T, int N = 4> struct Buffer {
    T data[N];
    __device__ T &at(int i) { return data[i]; }
    __device__ static int size() { return N; }
};
template <typename T> struct Name { static constexpr int value = 0; };
template <> struct Name<float> { static constexpr int value = 1; };

template <typename F> __device__ void apply(F f, int n) { for (int i = 0; i < n; ++i) f(i); }
template <typename... T> __device__ int sum(T... xs) { return (xs + ... + 0); }
__device__ float &slot(float *p, int i) { return p[i]; }
__device__ void swap_floats(float &a, float &b) { float t = a; a = b; b = t; }

extern "C" __global__ void __launch_bounds__(256, 2) everything(float *out, const float4 *in, int n, Mode mode, cudaTextureObject_t tex) {
    extern __shared__ float dynamic[];
    __shared__ int counter;
    const int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid >= n) return;
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
    float4 v = in[tid];
    v.x += 1.0f;
    const float4 *q = reinterpret_cast<const float4 *>(out);
    float4 w = __ldg(&q[tid]);
    Vec a(v.x, v.y), b = Vec(w.z, w.w);
    Vec c = a + b;
    c += a;
    Pair p = {1, {2.f, 3.f}};
    Pair zero = {};
    Bits bits;
    bits.f = c.dot(b);
    int array[util::N] = {1, 2, 3};
    for (auto &x : array) x *= 2;
    for (int x : array) p.a += x;
    switch (mode) {
    case Mode::Zero:
        p.a = 0;
        break;
    case Mode::Clamp: {
        p.a = clamp(p.a, 0, 10);
        break;
    }
    default:
        p.a++;
    }
    Buffer<float> buffer;
    buffer.at(0) = 1.0f;
    Buffer<int, 2> small{{1, 2}};
    real r = 0;
    apply([&](int i) { r += dynamic[i] + taps[1]; }, 3);
    auto square = [](float x) { return x * x; };
    slot(out, tid) = square(r) + sum(1, 2, 3) + small.at(1) + Buffer<int, 2>::size();
    swap_floats(out[0], buffer.at(1));
    if constexpr (Name<float>::value == 1) out[1] = twice();
    unsigned mask = __ballot_sync(0xffffffff, p.a > 0);
    float s = r;
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
    atomicAdd(&counter, 1);
    atomicMax(&counter, p.a);
    out[2] = tex1Dfetch<float>(tex, tid) + weights[1][tid % 3] + fminf(s, 1.f) + __uint_as_float(bits.u | mask);
    out[3] = X + Y + sizeof(Pair) + zero.a + static_cast<int>(mode);
    do { --r; } while (r > 0);
    while (true) { if (r < 0) break; r = r - 1; }
    float *end = out + n, *it = out;
    long d = end - it;
    it += 2;
    *it++ = d;
    char text[4] = "abc";
    out[4] = text[0] + (tid ? -1 : 1) + !tid + ~tid;
    float2 pair = make_float2(1, 2);
    dim3 g(4, 2);
    out[5] = pair.y + g.z + blockDim.y;
    printf("%d %f\n", tid, s);
    assert(tid < n);
}
template <int TX, int TY, typename T = float>
__global__ void tile(T *p) { __shared__ T t[TY][TX + 1]; t[threadIdx.y][threadIdx.x] = p[0]; p[1] = t[0][0]; }
template __global__ void tile<16, 8, double>(double *);
template <int B = 32> __global__ void defaulted(int *p) { p[threadIdx.x % B] = B; }
