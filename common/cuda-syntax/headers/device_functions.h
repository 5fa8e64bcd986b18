// Functions of CUDA that are made of others. Read after a file that names one of them (see `preprocess::composed`), and
// found when the file itself declares nothing of the name.
#pragma once
namespace __composed {

// Warp matches and reductions: a loop over the lanes of the mask, which all of them run alike.
#define __MATCH(T, SAME)                                                                              \
    __device__ inline unsigned int __match_any_sync(unsigned int mask, T v) {                         \
        unsigned int peers = 0u;                                                                      \
        for (unsigned int rest = mask; rest != 0u; rest &= rest - 1u) {                               \
            T other = __shfl_sync(mask, v, __ffs((int)rest) - 1);                                     \
            if (SAME) peers |= rest & (0u - rest);                                                    \
        }                                                                                             \
        return peers;                                                                                 \
    }                                                                                                 \
    __device__ inline unsigned int __match_all_sync(unsigned int mask, T v, int *all) {               \
        T other = __shfl_sync(mask, v, __ffs((int)mask) - 1);                                         \
        *all = __all_sync(mask, SAME);                                                                \
        return *all ? mask : 0u;                                                                      \
    }
__MATCH(int, v == other)
__MATCH(unsigned int, v == other)
__MATCH(long, v == other)
__MATCH(unsigned long, v == other)
__MATCH(long long, v == other)
__MATCH(unsigned long long, v == other)
__MATCH(float, __float_as_int(v) == __float_as_int(other))
__MATCH(double, __double_as_longlong(v) == __double_as_longlong(other))

#define __REDUCE(NAME, T, COMBINED)                                                                   \
    __device__ inline T NAME(unsigned int mask, T v) {                                                \
        T sum = __shfl_sync(mask, v, __ffs((int)mask) - 1);                                           \
        for (unsigned int rest = mask & (mask - 1u); rest != 0u; rest &= rest - 1u) {                 \
            T other = __shfl_sync(mask, v, __ffs((int)rest) - 1);                                     \
            sum = COMBINED;                                                                           \
        }                                                                                             \
        return sum;                                                                                   \
    }
__REDUCE(__reduce_add_sync, int, (int)((unsigned int)sum + (unsigned int)other))
__REDUCE(__reduce_add_sync, unsigned int, sum + other)
__REDUCE(__reduce_min_sync, int, min(sum, other))
__REDUCE(__reduce_min_sync, unsigned int, min(sum, other))
__REDUCE(__reduce_max_sync, int, max(sum, other))
__REDUCE(__reduce_max_sync, unsigned int, max(sum, other))
__REDUCE(__reduce_and_sync, unsigned int, sum & other)
__REDUCE(__reduce_or_sync, unsigned int, sum | other)
__REDUCE(__reduce_xor_sync, unsigned int, sum ^ other)

// Integers.
__host__ __device__ inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) {
    unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned int a = (unsigned int)(both >> (s & 7u) * 8u) & 255u;
    unsigned int b = (unsigned int)(both >> (s >> 4 & 7u) * 8u) & 255u;
    unsigned int c = (unsigned int)(both >> (s >> 8 & 7u) * 8u) & 255u;
    unsigned int d = (unsigned int)(both >> (s >> 12 & 7u) * 8u) & 255u;
    return a | b << 8 | c << 16 | d << 24;
}
__device__ inline unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
    return shift >= 32u ? lo : __funnelshift_l(lo, hi, shift);
}
__device__ inline unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
    return shift >= 32u ? hi : __funnelshift_r(lo, hi, shift);
}
__device__ inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    for (unsigned int i = 0u; i < 32u; i += 8u) c += (a >> i & 255u) * (b >> i & 255u);
    return c;
}
__device__ inline int __dp4a(int a, int b, int c) {
    unsigned int sum = (unsigned int)c;
    for (int i = 0; i < 32; i += 8) sum += (unsigned int)((int)(signed char)(a >> i) * (int)(signed char)(b >> i));
    return (int)sum;
}
__device__ inline int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
    return c + (unsigned int)(a.x * b.x) + (unsigned int)(a.y * b.y) + (unsigned int)(a.z * b.z) + (unsigned int)(a.w * b.w);
}

// Halves of a double.
__device__ inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__device__ inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
__device__ inline double __hiloint2double(int hi, int lo) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned int)hi << 32 | (unsigned int)lo));
}

// Integers to floats in a direction. Both halves of a 64-bit integer are exact as `double`, so their sum is rounded once;
// rounding twice in one direction is rounding once.
#define __DIRECTED(R)                                                                                                   \
    __device__ inline double __ll2double_##R(long long a) {                                                             \
        return __dadd_##R((double)(a >> 32) * 4294967296.0, (double)(a & 0xffffffffll));                                \
    }                                                                                                                   \
    __device__ inline double __ull2double_##R(unsigned long long a) {                                                   \
        return __dadd_##R((double)(a >> 32) * 4294967296.0, (double)(a & 0xffffffffull));                               \
    }                                                                                                                   \
    __device__ inline float __ll2float_##R(long long a) { return __double2float_##R(__ll2double_##R(a)); }              \
    __device__ inline float __ull2float_##R(unsigned long long a) { return __double2float_##R(__ull2double_##R(a)); }   \
    __device__ inline float __int2float_##R(int a) { return __double2float_##R((double)a); }                            \
    __device__ inline float __uint2float_##R(unsigned int a) { return __double2float_##R((double)a); }
__DIRECTED(rz)
__DIRECTED(ru)
__DIRECTED(rd)

// Parts of a floating number.
__device__ inline double frexp(double x, int *e) {
    *e = 0;
    if (x == 0.0 || !isfinite(x)) return x;
    int below = fabs(x) < 2.2250738585072014e-308 ? 54 : 0;
    long long bits = __double_as_longlong(below ? x * 18014398509481984.0 : x);
    *e = (int)(bits >> 52 & 0x7ff) - 1022 - below;
    return __longlong_as_double((bits & (long long)0x800fffffffffffffull) | 0x3fe0000000000000ll);
}
__device__ inline float frexpf(float x, int *e) { return (float)frexp((double)x, e); }
__device__ inline float frexp(float x, int *e) { return (float)frexp((double)x, e); }
__device__ inline double modf(double x, double *whole) {
    *whole = trunc(x);
    return copysign(isinf(x) ? 0.0 : x - *whole, x);
}
__device__ inline float modff(float x, float *whole) {
    *whole = truncf(x);
    return copysignf(isinf(x) ? 0.0f : x - *whole, x);
}
__device__ inline float modf(float x, float *whole) { return modff(x, whole); }
__device__ inline int ilogb(double x) {
    if (x == 0.0 || isnan(x)) return -2147483647 - 1;
    if (isinf(x)) return 2147483647;
    int e;
    frexp(x, &e);
    return e - 1;
}
__device__ inline int ilogbf(float x) { return ilogb((double)x); }
__device__ inline int ilogb(float x) { return ilogb((double)x); }
__device__ inline double logb(double x) {
    return isnan(x) || isinf(x) ? x * x : x == 0.0 ? __longlong_as_double((long long)0xfff0000000000000ull) : (double)ilogb(x);
}
__device__ inline float logbf(float x) { return (float)logb((double)x); }
__device__ inline float logb(float x) { return (float)logb((double)x); }
__device__ inline double nextafter(double x, double to) {
    if (isnan(x) || isnan(to)) return x + to;
    if (x == to) return to;
    if (x == 0.0) return copysign(__longlong_as_double(1ll), to);
    long long bits = __double_as_longlong(x);
    return __longlong_as_double((x < to) == (x > 0.0) ? bits + 1 : bits - 1);
}
__device__ inline float nextafterf(float x, float to) {
    if (isnan(x) || isnan(to)) return x + to;
    if (x == to) return to;
    if (x == 0.0f) return copysignf(__int_as_float(1), to);
    int bits = __float_as_int(x);
    return __int_as_float((x < to) == (x > 0.0f) ? bits + 1 : bits - 1);
}
__device__ inline float nextafter(float x, float to) { return nextafterf(x, to); }

// The remainder, and at least the low three bits of the quotient with its sign.
__device__ inline double remquo(double x, double y, int *quotient) {
    *quotient = 0;
    double r = remainder(x, y);
    if (isnan(r) || isinf(y)) return r;
    // Modulo 8y the multiple of y that is taken off is small, so the quotient is nearly whole.
    double a = fabs(x), b = fabs(y), rest = isinf(8.0 * b) ? a : fmod(a, 8.0 * b);
    int q = (int)rint((signbit(r) == signbit(x) ? rest - fabs(r) : rest + fabs(r)) / b) & 7;
    *quotient = signbit(x) == signbit(y) ? q : -q;
    return r;
}
__device__ inline float remquof(float x, float y, int *quotient) { return (float)remquo((double)x, (double)y, quotient); }
__device__ inline float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }

// Lengths of vectors: the sum of squares with its error (products and sums of two doubles, Dekker and Knuth), scaled by a
// power of two so that nothing overflows or is lost.
struct __length {
    double hi, lo;
    int exponent;
    __device__ void add(double x) {
        x = scalbn(x, -exponent);
        double p = __dmul_rn(x, x), e = fma(x, x, -p);
        double s = __dadd_rn(hi, p), t = __dsub_rn(s, hi);
        lo += __dadd_rn(__dsub_rn(hi, __dsub_rn(s, t)), __dsub_rn(p, t)) + e;
        hi = s;
    }
    __device__ double root() const {
        double s = __dadd_rn(hi, lo), r = sqrt(s);
        return s > 0.0 ? r + (fma(-r, r, s) + (__dsub_rn(hi, s) + lo)) / (2.0 * r) : r;
    }
};
__device__ inline double __norm(int n, const double *p, bool inverse) {
    double largest = 0.0;
    bool infinite = false, nan = false;
    for (int i = 0; i < n; ++i) {
        infinite = infinite || isinf(p[i]);
        nan = nan || isnan(p[i]);
        largest = fmax(largest, fabs(p[i]));
    }
    if (infinite) return inverse ? 0.0 : __longlong_as_double(0x7ff0000000000000ll);
    if (nan) return __longlong_as_double(0x7ff8000000000000ll);
    if (largest == 0.0) return inverse ? __longlong_as_double(0x7ff0000000000000ll) : 0.0;
    __length length;
    length.hi = length.lo = 0.0;
    length.exponent = ilogb(largest);
    for (int i = 0; i < n; ++i) length.add(p[i]);
    return inverse ? scalbn(1.0 / length.root(), -length.exponent) : scalbn(length.root(), length.exponent);
}
__device__ inline double norm(int n, const double *p) { return __norm(n, p, false); }
__device__ inline double rnorm(int n, const double *p) { return __norm(n, p, true); }
__device__ inline float __normf(int n, const float *p, bool inverse) {
    double sum = 0.0;
    bool infinite = false;
    for (int i = 0; i < n; ++i) {
        infinite = infinite || isinf(p[i]);
        sum += (double)p[i] * (double)p[i];
    }
    if (infinite) return inverse ? 0.0f : __int_as_float(0x7f800000);
    return (float)(inverse ? rsqrt(sum) : sqrt(sum));
}
__device__ inline float normf(int n, const float *p) { return __normf(n, p, false); }
__device__ inline float rnormf(int n, const float *p) { return __normf(n, p, true); }
#define __NORM(NAME, INVERSE)                                                                                           \
    __device__ inline double NAME##3d(double a, double b, double c) {                                                   \
        double v[3] = {a, b, c};                                                                                        \
        return __norm(3, v, INVERSE);                                                                                   \
    }                                                                                                                   \
    __device__ inline double NAME##4d(double a, double b, double c, double d) {                                         \
        double v[4] = {a, b, c, d};                                                                                     \
        return __norm(4, v, INVERSE);                                                                                   \
    }                                                                                                                   \
    __device__ inline float NAME##3df(float a, float b, float c) {                                                      \
        float v[3] = {a, b, c};                                                                                         \
        return __normf(3, v, INVERSE);                                                                                  \
    }                                                                                                                   \
    __device__ inline float NAME##4df(float a, float b, float c, float d) {                                             \
        float v[4] = {a, b, c, d};                                                                                      \
        return __normf(4, v, INVERSE);                                                                                  \
    }
__NORM(norm, false)
__NORM(rnorm, true)

// The n-th set bit from a base, to the left for a positive offset, to the right for a negative one; the base itself
// counts. With offset 0 the base's own bit.
__device__ inline unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
    if (offset == 0) return mask >> (base & 31u) & 1u ? base : 0xffffffffu;
    int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
    for (int i = (int)base; i >= 0 && i < 32; i += step) {
        if (mask >> i & 1u && --left == 0) return (unsigned int)i;
    }
    return 0xffffffffu;
}

// Dot products of two 16-bit numbers with the low or high two bytes.
#define __DP2A(NAME, FROM)                                                                                              \
    __device__ inline int NAME(int a, int b, int c) {                                                                   \
        return (int)((unsigned int)c + (unsigned int)((int)(short)a * (int)(signed char)(b >> FROM)) +                  \
                     (unsigned int)((a >> 16) * (int)(signed char)(b >> (FROM + 8))));                                  \
    }                                                                                                                   \
    __device__ inline unsigned int NAME(unsigned int a, unsigned int b, unsigned int c) {                               \
        return c + (a & 0xffffu) * (b >> FROM & 255u) + (a >> 16) * (b >> (FROM + 8) & 255u);                           \
    }
__DP2A(__dp2a_lo, 0)
__DP2A(__dp2a_hi, 16)
__device__ inline int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
__device__ inline int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
__device__ inline unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
    return c + (unsigned int)a.x * b.x + (unsigned int)a.y * b.y;
}
__device__ inline unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
    return c + (unsigned int)a.x * b.z + (unsigned int)a.y * b.w;
}

// A promise to the optimiser.
__device__ inline void *__builtin_assume_aligned(const void *p, unsigned long) { return (void *)p; }
__device__ inline void *__builtin_assume_aligned(const void *p, unsigned long, unsigned long) { return (void *)p; }

// Copies and fills of memory, byte by byte.
__device__ inline void *memcpy(void *to, const void *from, unsigned long n) {
    for (unsigned long i = 0; i < n; i++) ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    return to;
}
__device__ inline void *memset(void *to, int value, unsigned long n) {
    for (unsigned long i = 0; i < n; i++) ((unsigned char *)to)[i] = (unsigned char)value;
    return to;
}

}
