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

// Directed rounding of float operations. The operation is done in double precision, and where that is inexact its last
// bit is made odd (`lost` says on which side the true value lies), after which any rounding to float is the one of the
// true value: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd".
__device__ inline double __odd(double s, double lost) {
    long long bits = __double_as_longlong(s);
    if (lost != 0.0 && isfinite(s) && (bits & 1) == 0) bits += (lost > 0.0) == (s > 0.0) ? 1 : -1;
    return __longlong_as_double(bits);
}
__device__ inline double __odd_sum(double x, double y) {
    double s = __dadd_rn(x, y), t = __dsub_rn(s, x);
    return __odd(s, __dadd_rn(__dsub_rn(x, __dsub_rn(s, t)), __dsub_rn(y, t)));
}
__device__ inline double __odd_quotient(double x, double y) {
    double q = x / y;
    if (!isfinite(q) || q == 0.0 || !isfinite(y)) return q;
    double rest = fma(-q, y, x);
    return __odd(q, y < 0.0 ? -rest : rest);
}
__device__ inline double __odd_root(double x) {
    double s = sqrt(x);
    return s > 0.0 && isfinite(s) ? __odd(s, fma(-s, s, x)) : s;
}
__device__ inline float __down(double v) {
    float r = __double2float_rn(v);
    int bits = __float_as_int(r);
    return (double)r > v ? __int_as_float(bits == 0 ? (int)0x80000001 : bits > 0 ? bits - 1 : bits + 1) : r;
}
__device__ inline float __double2float_rd(double v) { return __down(v); }
__device__ inline float __double2float_ru(double v) { return -__down(-v); }
__device__ inline float __double2float_rz(double v) { return v < 0.0 ? -__down(-v) : __down(v); }
// A sum that is zero though not both parts are zeros of one sign: -0 when rounding down, else +0.
__device__ inline double __zero_down(double s, double x, double y) {
    return s == 0.0 && (signbit(x) != signbit(y) || x != 0.0) ? -0.0 : s;
}
#define __DIRECTED(R)                                                                                                   \
    __device__ inline float __fmul_##R(float a, float b) {                                                              \
        return __double2float_##R(__dmul_rn((double)a, (double)b));                                                     \
    }                                                                                                                   \
    __device__ inline float __fdiv_##R(float a, float b) {                                                              \
        return __double2float_##R(__odd_quotient((double)a, (double)b));                                                \
    }                                                                                                                   \
    __device__ inline float __frcp_##R(float a) { return __double2float_##R(__odd_quotient(1.0, (double)a)); }          \
    __device__ inline float __fsqrt_##R(float a) { return __double2float_##R(__odd_root((double)a)); }                  \
    __device__ inline float __int2float_##R(int a) { return __double2float_##R((double)a); }                            \
    __device__ inline float __uint2float_##R(unsigned int a) { return __double2float_##R((double)a); }
#define __DIRECTED_SUM(R, ZERO)                                                                                         \
    __device__ inline float __fmaf_##R(float a, float b, float c) {                                                     \
        double x = __dmul_rn((double)a, (double)b), y = (double)c, s = __odd_sum(x, y);                                 \
        return __double2float_##R(ZERO);                                                                                \
    }                                                                                                                   \
    __device__ inline float __fadd_##R(float a, float b) {                                                              \
        double x = (double)a, y = (double)b, s = __odd_sum(x, y);                                                       \
        return __double2float_##R(ZERO);                                                                                \
    }                                                                                                                   \
    __device__ inline float __fsub_##R(float a, float b) { return __fadd_##R(a, -b); }
__DIRECTED(rz)
__DIRECTED(ru)
__DIRECTED(rd)
__DIRECTED_SUM(rz, s)
__DIRECTED_SUM(ru, s)
__DIRECTED_SUM(rd, __zero_down(s, x, y))

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

// Giles' first approximation ("Approximating the erfinv function"), then Newton's steps in double precision; near 1 on
// the complement, which is exact there.
__device__ inline float erfinvf(float x) {
    double a = fabs((double)x);
    if (!(a < 1.0)) return a == 1.0 ? copysignf(__int_as_float(0x7f800000), x) : __int_as_float(0x7fffffff);
    if (a == 0.0) return x;
    double w = -log((1.0 - a) * (1.0 + a)), p;
    if (w < 5.0) {
        w -= 2.5;
        p = 2.81022636e-08;
        p = 3.43273939e-07 + p * w;
        p = -3.5233877e-06 + p * w;
        p = -4.39150654e-06 + p * w;
        p = 0.00021858087 + p * w;
        p = -0.00125372503 + p * w;
        p = -0.00417768164 + p * w;
        p = 0.246640727 + p * w;
        p = 1.50140941 + p * w;
    } else {
        w = sqrt(w) - 3.0;
        p = -0.000200214257;
        p = 0.000100950558 + p * w;
        p = 0.00134934322 + p * w;
        p = -0.00367342844 + p * w;
        p = 0.00573950773 + p * w;
        p = -0.0076224613 + p * w;
        p = 0.00943887047 + p * w;
        p = 1.00167406 + p * w;
        p = 2.83297682 + p * w;
    }
    double y = p * a;
    for (int i = 0; i < 2; ++i) {
        double error = a < 0.5 ? erf(y) - a : (1.0 - a) - erfc(y);
        y -= error * exp(y * y) * 0.88622692545275801365;
    }
    return copysignf((float)y, x);
}

}
