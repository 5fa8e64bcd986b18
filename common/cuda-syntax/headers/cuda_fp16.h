// Half precision: __half and __half2, stored as 16 and 32 bits.
// What a sum, product, quotient or fused product rounds to is found in double precision, which is exact or leaves
// rounding once unchanged, and rounded once to 16 bits. See the CUDA Math API for the functions.
#pragma once
struct __half {
    unsigned short __x;
    __host__ __device__ __half() = default;
    __host__ __device__ __half(float v) : __x(__to_half_bits(v)) {}
    __host__ __device__ __half(double v) : __x(__to_half_bits(v)) {}
    __host__ __device__ __half(int v) : __x(__to_half_bits((double)v)) {}
    __host__ __device__ __half(unsigned int v) : __x(__to_half_bits((double)v)) {}
    __host__ __device__ __half(short v) : __x(__to_half_bits((double)v)) {}
    __host__ __device__ __half(unsigned short v) : __x(__to_half_bits((double)v)) {}
    __host__ __device__ __half(long long v) : __x(__to_half_bits((double)v)) {}
    __host__ __device__ __half(unsigned long long v) : __x(__to_half_bits((double)v)) {}
    __host__ __device__ __half(long v) : __x(__to_half_bits((double)v)) {}
    __host__ __device__ __half(unsigned long v) : __x(__to_half_bits((double)v)) {}
    __host__ __device__ operator float() const { return __half_bits_to_float(__x); }
};
__host__ __device__ inline __half __make_half(unsigned short bits) {
    __half v;
    v.__x = bits;
    return v;
}
__host__ __device__ inline float __value(__half v) { return __half_bits_to_float(v.__x); }
struct alignas(4) __half2 {
    __half x, y;
    __host__ __device__ __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
};
__host__ __device__ inline __half __hadd(__half a, __half b) { return __make_half(__to_half_bits(__dadd_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __half __hadd_rn(__half a, __half b) { return __make_half(__to_half_bits(__dadd_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __half __hsub(__half a, __half b) { return __make_half(__to_half_bits(__dsub_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __half __hsub_rn(__half a, __half b) { return __make_half(__to_half_bits(__dsub_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __half __hmul(__half a, __half b) { return __make_half(__to_half_bits(__dmul_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __half __hmul_rn(__half a, __half b) { return __make_half(__to_half_bits(__dmul_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __half __hdiv(__half a, __half b) { return __make_half(__to_half_bits((double)__value(a) / (double)__value(b))); }
__host__ __device__ inline __half __hfma(__half a, __half b, __half c) { return __make_half(__to_half_bits(fma((double)__value(a), (double)__value(b), (double)__value(c)))); }
__host__ __device__ inline __half __hneg(__half a) { return __make_half((unsigned short)(a.__x ^ 0x8000u)); }
__host__ __device__ inline __half __habs(__half a) { return __make_half((unsigned short)(a.__x & 0x7fffu)); }
__host__ __device__ inline __half __hadd_sat(__half a, __half b) { return __half(__saturatef(__value(__hadd(a, b)))); }
__host__ __device__ inline __half __hmul_sat(__half a, __half b) { return __half(__saturatef(__value(__hmul(a, b)))); }
__host__ __device__ inline __half __hfma_sat(__half a, __half b, __half c) { return __half(__saturatef(__value(__hfma(a, b, c)))); }
__host__ __device__ inline __half __hfma_relu(__half a, __half b, __half c) { return __half(fmaxf(__value(__hfma(a, b, c)), 0.0f)); }
__host__ __device__ inline bool __heq(__half a, __half b) { return __value(a) == __value(b); }
__host__ __device__ inline bool __hne(__half a, __half b) { return __value(a) != __value(b); }
__host__ __device__ inline bool __hlt(__half a, __half b) { return __value(a) < __value(b); }
__host__ __device__ inline bool __hle(__half a, __half b) { return __value(a) <= __value(b); }
__host__ __device__ inline bool __hgt(__half a, __half b) { return __value(a) > __value(b); }
__host__ __device__ inline bool __hge(__half a, __half b) { return __value(a) >= __value(b); }
__host__ __device__ inline bool __hisnan(__half a) { return isnan(__value(a)); }
__host__ __device__ inline int __hisinf(__half a) { return isinf(__value(a)) ? (__value(a) > 0.0f ? 1 : -1) : 0; }
__host__ __device__ inline __half __hmax(__half a, __half b) { return __half(fmaxf(__value(a), __value(b))); }
__host__ __device__ inline __half __hmin(__half a, __half b) { return __half(fminf(__value(a), __value(b))); }
__host__ __device__ inline __half hsqrt(__half a) { return __make_half(__to_half_bits(sqrt((double)__value(a)))); }
__host__ __device__ inline __half hrsqrt(__half a) { return __make_half(__to_half_bits(rsqrt((double)__value(a)))); }
__host__ __device__ inline __half hrcp(__half a) { return __make_half(__to_half_bits(1.0 / (double)__value(a))); }
__host__ __device__ inline __half hexp(__half a) { return __make_half(__to_half_bits(exp((double)__value(a)))); }
__host__ __device__ inline __half hexp2(__half a) { return __make_half(__to_half_bits(exp2((double)__value(a)))); }
__host__ __device__ inline __half hexp10(__half a) { return __make_half(__to_half_bits(exp10((double)__value(a)))); }
__host__ __device__ inline __half hlog(__half a) { return __make_half(__to_half_bits(log((double)__value(a)))); }
__host__ __device__ inline __half hlog2(__half a) { return __make_half(__to_half_bits(log2((double)__value(a)))); }
__host__ __device__ inline __half hlog10(__half a) { return __make_half(__to_half_bits(log10((double)__value(a)))); }
__host__ __device__ inline __half hsin(__half a) { return __make_half(__to_half_bits(sin((double)__value(a)))); }
__host__ __device__ inline __half hcos(__half a) { return __make_half(__to_half_bits(cos((double)__value(a)))); }
__host__ __device__ inline __half hfloor(__half a) { return __make_half(__to_half_bits(floor((double)__value(a)))); }
__host__ __device__ inline __half hceil(__half a) { return __make_half(__to_half_bits(ceil((double)__value(a)))); }
__host__ __device__ inline __half htrunc(__half a) { return __make_half(__to_half_bits(trunc((double)__value(a)))); }
__host__ __device__ inline __half hrint(__half a) { return __make_half(__to_half_bits(rint((double)__value(a)))); }
__host__ __device__ inline __half htanh(__half a) { return __make_half(__to_half_bits(tanh((double)__value(a)))); }
__host__ __device__ inline __half operator+(__half a, __half b) { return __hadd(a, b); }
__host__ __device__ inline __half &operator+=(__half &a, __half b) { a = __hadd(a, b); return a; }
__host__ __device__ inline __half operator-(__half a, __half b) { return __hsub(a, b); }
__host__ __device__ inline __half &operator-=(__half &a, __half b) { a = __hsub(a, b); return a; }
__host__ __device__ inline __half operator*(__half a, __half b) { return __hmul(a, b); }
__host__ __device__ inline __half &operator*=(__half &a, __half b) { a = __hmul(a, b); return a; }
__host__ __device__ inline __half operator/(__half a, __half b) { return __hdiv(a, b); }
__host__ __device__ inline __half &operator/=(__half &a, __half b) { a = __hdiv(a, b); return a; }
__host__ __device__ inline __half operator-(__half a) { return __hneg(a); }
__host__ __device__ inline __half operator+(__half a) { return a; }
__host__ __device__ inline __half &operator++(__half &a) { a = __hadd(a, __half(1.0f)); return a; }
__host__ __device__ inline __half &operator--(__half &a) { a = __hsub(a, __half(1.0f)); return a; }
__host__ __device__ inline bool operator==(__half a, __half b) { return __heq(a, b); }
__host__ __device__ inline bool operator!=(__half a, __half b) { return __hne(a, b); }
__host__ __device__ inline bool operator<(__half a, __half b) { return __hlt(a, b); }
__host__ __device__ inline bool operator<=(__half a, __half b) { return __hle(a, b); }
__host__ __device__ inline bool operator>(__half a, __half b) { return __hgt(a, b); }
__host__ __device__ inline bool operator>=(__half a, __half b) { return __hge(a, b); }
__host__ __device__ inline __half2 __hadd2(__half2 a, __half2 b) { return __half2(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
__host__ __device__ inline __half2 __hadd2_rn(__half2 a, __half2 b) { return __half2(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
__host__ __device__ inline __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
__host__ __device__ inline __half2 &operator+=(__half2 &a, __half2 b) { a = __hadd2(a, b); return a; }
__host__ __device__ inline __half2 __hsub2(__half2 a, __half2 b) { return __half2(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
__host__ __device__ inline __half2 __hsub2_rn(__half2 a, __half2 b) { return __half2(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
__host__ __device__ inline __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
__host__ __device__ inline __half2 &operator-=(__half2 &a, __half2 b) { a = __hsub2(a, b); return a; }
__host__ __device__ inline __half2 __hmul2(__half2 a, __half2 b) { return __half2(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
__host__ __device__ inline __half2 __hmul2_rn(__half2 a, __half2 b) { return __half2(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
__host__ __device__ inline __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
__host__ __device__ inline __half2 &operator*=(__half2 &a, __half2 b) { a = __hmul2(a, b); return a; }
__host__ __device__ inline __half2 __hdiv2(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__host__ __device__ inline __half2 operator/(__half2 a, __half2 b) { return __hdiv2(a, b); }
__host__ __device__ inline __half2 &operator/=(__half2 &a, __half2 b) { a = __hdiv2(a, b); return a; }
__host__ __device__ inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__host__ __device__ inline __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
__host__ __device__ inline __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
__host__ __device__ inline __half2 operator-(__half2 a) { return __hneg2(a); }
__host__ __device__ inline __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__host__ __device__ inline __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__host__ __device__ inline bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__host__ __device__ inline bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__host__ __device__ inline bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__host__ __device__ inline bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__host__ __device__ inline bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__host__ __device__ inline bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__host__ __device__ inline bool operator==(__half2 a, __half2 b) { return __hbeq2(a, b); }
__host__ __device__ inline __half2 h2sqrt(__half2 a) { return __half2(hsqrt(a.x), hsqrt(a.y)); }
__host__ __device__ inline __half2 h2rsqrt(__half2 a) { return __half2(hrsqrt(a.x), hrsqrt(a.y)); }
__host__ __device__ inline __half2 h2rcp(__half2 a) { return __half2(hrcp(a.x), hrcp(a.y)); }
__host__ __device__ inline __half2 h2exp(__half2 a) { return __half2(hexp(a.x), hexp(a.y)); }
__host__ __device__ inline __half2 h2exp2(__half2 a) { return __half2(hexp2(a.x), hexp2(a.y)); }
__host__ __device__ inline __half2 h2log(__half2 a) { return __half2(hlog(a.x), hlog(a.y)); }
__host__ __device__ inline __half2 h2log2(__half2 a) { return __half2(hlog2(a.x), hlog2(a.y)); }
__host__ __device__ inline __half2 h2sin(__half2 a) { return __half2(hsin(a.x), hsin(a.y)); }
__host__ __device__ inline __half2 h2cos(__half2 a) { return __half2(hcos(a.x), hcos(a.y)); }
__host__ __device__ inline __half2 h2floor(__half2 a) { return __half2(hfloor(a.x), hfloor(a.y)); }
__host__ __device__ inline __half2 h2ceil(__half2 a) { return __half2(hceil(a.x), hceil(a.y)); }
__host__ __device__ inline __half2 h2trunc(__half2 a) { return __half2(htrunc(a.x), htrunc(a.y)); }
__host__ __device__ inline __half2 h2rint(__half2 a) { return __half2(hrint(a.x), hrint(a.y)); }
__host__ __device__ inline short __half_as_short(__half a) { return (short)a.__x; }
__host__ __device__ inline unsigned short __half_as_ushort(__half a) { return a.__x; }
__host__ __device__ inline __half __short_as_half(short v) { return __make_half((unsigned short)v); }
__host__ __device__ inline __half __ushort_as_half(unsigned short v) { return __make_half(v); }
__host__ __device__ inline float __half2float(__half a) { return __value(a); }
__host__ __device__ inline __half __float2half(float v) { return __half(v); }
__host__ __device__ inline __half __float2half_rn(float v) { return __half(v); }
__host__ __device__ inline __half __double2half(double v) { return __half(v); }
__host__ __device__ inline __half __int2half_rn(int v) { return __half(v); }
__host__ __device__ inline int __half2int_rz(__half a) { return (int)__value(a); }
__host__ __device__ inline int __half2int_rn(__half a) { return (int)rintf(__value(a)); }
__host__ __device__ inline __half __uint2half_rn(unsigned int v) { return __half(v); }
__host__ __device__ inline unsigned int __half2uint_rz(__half a) { return (unsigned int)__value(a); }
__host__ __device__ inline unsigned int __half2uint_rn(__half a) { return (unsigned int)rintf(__value(a)); }
__host__ __device__ inline __half __short2half_rn(short v) { return __half(v); }
__host__ __device__ inline short __half2short_rz(__half a) { return (short)__value(a); }
__host__ __device__ inline short __half2short_rn(__half a) { return (short)rintf(__value(a)); }
__host__ __device__ inline __half __ushort2half_rn(unsigned short v) { return __half(v); }
__host__ __device__ inline unsigned short __half2ushort_rz(__half a) { return (unsigned short)__value(a); }
__host__ __device__ inline unsigned short __half2ushort_rn(__half a) { return (unsigned short)rintf(__value(a)); }
__host__ __device__ inline __half2 __half2half2(__half a) { return __half2(a, a); }
__host__ __device__ inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__host__ __device__ inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__host__ __device__ inline __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
__host__ __device__ inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
__host__ __device__ inline __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
__host__ __device__ inline float2 __half22float2(__half2 v) { return make_float2(__value(v.x), __value(v.y)); }
__host__ __device__ inline __half __low2half(__half2 v) { return v.x; }
__host__ __device__ inline __half __high2half(__half2 v) { return v.y; }
__host__ __device__ inline __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
__host__ __device__ inline __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
__host__ __device__ inline __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
__host__ __device__ inline float __low2float(__half2 v) { return __value(v.x); }
__host__ __device__ inline float __high2float(__half2 v) { return __value(v.y); }
__device__ inline __half __ldg(const __half *p) { return __make_half(__ldg((const unsigned short *)p)); }
__device__ inline __half atomicAdd(__half *p, __half v) {
    return __make_half(__atomic_add_f16((unsigned short *)p, v.__x));
}
__device__ inline __half2 atomicAdd(__half2 *p, __half2 v) {
    unsigned int both = __atomic_add_f16((unsigned int *)p, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16);
    return __half2(__make_half((unsigned short)both), __make_half((unsigned short)(both >> 16)));
}
__device__ inline __half __shfl_sync(unsigned int mask, __half v, int lane, int width = 32) {
    return __make_half((unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width));
}
__device__ inline __half2 __shfl_sync(unsigned int mask, __half2 v, int lane, int width = 32) {
    unsigned int both = __shfl_sync(mask, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16, lane, width);
    return __half2(__make_half((unsigned short)both), __make_half((unsigned short)(both >> 16)));
}
__device__ inline __half __shfl_up_sync(unsigned int mask, __half v, unsigned int lane, int width = 32) {
    return __make_half((unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, lane, width));
}
__device__ inline __half2 __shfl_up_sync(unsigned int mask, __half2 v, unsigned int lane, int width = 32) {
    unsigned int both = __shfl_up_sync(mask, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16, lane, width);
    return __half2(__make_half((unsigned short)both), __make_half((unsigned short)(both >> 16)));
}
__device__ inline __half __shfl_down_sync(unsigned int mask, __half v, unsigned int lane, int width = 32) {
    return __make_half((unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, lane, width));
}
__device__ inline __half2 __shfl_down_sync(unsigned int mask, __half2 v, unsigned int lane, int width = 32) {
    unsigned int both = __shfl_down_sync(mask, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16, lane, width);
    return __half2(__make_half((unsigned short)both), __make_half((unsigned short)(both >> 16)));
}
__device__ inline __half __shfl_xor_sync(unsigned int mask, __half v, int lane, int width = 32) {
    return __make_half((unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lane, width));
}
__device__ inline __half2 __shfl_xor_sync(unsigned int mask, __half2 v, int lane, int width = 32) {
    unsigned int both = __shfl_xor_sync(mask, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16, lane, width);
    return __half2(__make_half((unsigned short)both), __make_half((unsigned short)(both >> 16)));
}
__device__ inline __half2 __ldg(const __half2 *p) {
    unsigned int bits = __ldg((const unsigned int *)p);
    return __half2(__make_half((unsigned short)bits), __make_half((unsigned short)(bits >> 16)));
}
#define __LOAD(NAME)                                                                                              \
    __device__ inline __half NAME(const __half *p) { return __make_half(NAME((const unsigned short *)p)); }            \
    __device__ inline __half2 NAME(const __half2 *p) {                                                             \
        unsigned int bits = NAME((const unsigned int *)p);                                                        \
        return __half2(__make_half((unsigned short)bits), __make_half((unsigned short)(bits >> 16)));                        \
    }
__LOAD(__ldca)
__LOAD(__ldcg)
__LOAD(__ldcs)
__LOAD(__ldlu)
__LOAD(__ldcv)
#undef __LOAD
#define __STORE(NAME)                                                                                             \
    __device__ inline void NAME(__half *p, __half v) { NAME((unsigned short *)p, v.__x); }                        \
    __device__ inline void NAME(__half2 *p, __half2 v) {                                                          \
        NAME((unsigned int *)p, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16);                             \
    }
__STORE(__stwb)
__STORE(__stcg)
__STORE(__stcs)
__STORE(__stwt)
#undef __STORE
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
