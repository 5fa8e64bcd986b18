// EXPECT: 17 3 15 98 127 127 117 2 101 3 4 4 206 151 12 4 98 7 -5 3 270
struct M { int v; __host__ __device__ constexpr M(int x) : v(x) {} };
namespace lit {
__host__ __device__ constexpr M operator""_m(unsigned long long v) { return M((int)v); }
__device__ constexpr double operator""_d(long double v) { return v * 2; }
__device__ constexpr int operator""_d(unsigned long long v) { return (int)v * 3; }
__device__ constexpr int operator ""_c(char c) { return c + 1; }
__device__ constexpr int operator"" _s(const char *s, size_t n) { return s[0] + 10 * (int)n; }
inline namespace deep { __device__ constexpr int operator""_deep(unsigned long long v) { return (int)v + 1; } }
}
__device__ int operator""_r(const char *s) { int r = 0; while (*s) { r = r * 2 + (*s - '0'); ++s; } return r; }
__device__ constexpr int operator""_r(unsigned long long v) { return (int)v; }
__device__ int operator""_raw(const char *s) { int n = 0; while (s[n]) ++n; return n; }
template <char... C> __device__ constexpr int operator""_t() { return sizeof...(C) + (0 + ... + C); }
#define KM(x) x##_m
#define SUFFIXED 2_m
template <int N> struct size { static const int value = N; };
using lit::operator""_m;
__device__ auto outside = (7_m).v;
__global__ void k(int *o) {
    o[0] = (12_m).v + KM(3).v + SUFFIXED.v;
    { using namespace lit; o[1] = 1.5_d; o[2] = 5_d; o[3] = 'a'_c; o[4] = "abc"_s; o[5] = "a" "bc"_s; o[6] = "a"_s "b"_s; o[7] = 1_deep; }
    o[8] = 101_r; o[9] = 1.5_raw; o[10] = 0x1F_raw; o[11] = 1e+5_raw;
    o[12] = 1234_t; o[13] = 1.5_t; o[14] = size<12_r>::value; static_assert(12_t == 2 + '1' + '2');
    o[15] = operator""_r("12"); o[16] = lit::operator""_c('a'); o[17] = outside; o[18] = -5_r; o[19] = 0b11_r; o[20] = 0xff_r + 017_r;
}
