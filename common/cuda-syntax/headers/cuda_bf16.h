// bfloat16: __nv_bfloat16 and __nv_bfloat162, stored as 16 and 32 bits.
// What a sum, product, quotient or fused product rounds to is found in double precision, which is exact or leaves
// rounding once unchanged, and rounded once to 16 bits. See the CUDA Math API for the functions.
#pragma once
struct __nv_bfloat16 {
    unsigned short __x;
    __host__ __device__ __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(float v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ __nv_bfloat16(double v) : __x(__to_bfloat16_bits(v)) {}
    __host__ __device__ __nv_bfloat16(int v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ __nv_bfloat16(unsigned int v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ __nv_bfloat16(short v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ __nv_bfloat16(unsigned short v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ __nv_bfloat16(long long v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ __nv_bfloat16(unsigned long long v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ __nv_bfloat16(long v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ __nv_bfloat16(unsigned long v) : __x(__to_bfloat16_bits((double)v)) {}
    __host__ __device__ operator float() const { return __uint_as_float((unsigned int)__x << 16); }
};
__host__ __device__ inline __nv_bfloat16 __make_nv_bfloat16(unsigned short bits) {
    __nv_bfloat16 v;
    v.__x = bits;
    return v;
}
__host__ __device__ inline float __value(__nv_bfloat16 v) { return __uint_as_float((unsigned int)v.__x << 16); }
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __host__ __device__ __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
__host__ __device__ inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __make_nv_bfloat16(__to_bfloat16_bits(__dadd_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __make_nv_bfloat16(__to_bfloat16_bits(__dadd_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __make_nv_bfloat16(__to_bfloat16_bits(__dsub_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __make_nv_bfloat16(__to_bfloat16_bits(__dsub_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __make_nv_bfloat16(__to_bfloat16_bits(__dmul_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __make_nv_bfloat16(__to_bfloat16_bits(__dmul_rn((double)__value(a), (double)__value(b)))); }
__host__ __device__ inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __make_nv_bfloat16(__to_bfloat16_bits((double)__value(a) / (double)__value(b))); }
__host__ __device__ inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { 
    double p = (double)__value(a) * (double)__value(b), z = (double)__value(c);
    double s = __dadd_rn(p, z);
    // What the sum lost (Knuth's two-sum) makes its last bit odd, so that rounding it again rounds once.
    double t = __dsub_rn(s, p);
    double lost = __dadd_rn(__dsub_rn(p, __dsub_rn(s, t)), __dsub_rn(z, t));
    long long bits = __double_as_longlong(s);
    if (lost != 0.0 && isfinite(s) && (bits & 1) == 0) bits += (lost > 0.0) == (s > 0.0) ? 1 : -1;
    return __make_nv_bfloat16(__to_bfloat16_bits(__longlong_as_double(bits)));
 }
__host__ __device__ inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __make_nv_bfloat16((unsigned short)(a.__x ^ 0x8000u)); }
__host__ __device__ inline __nv_bfloat16 __habs(__nv_bfloat16 a) { return __make_nv_bfloat16((unsigned short)(a.__x & 0x7fffu)); }
__host__ __device__ inline __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__saturatef(__value(__hadd(a, b)))); }
__host__ __device__ inline __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__saturatef(__value(__hmul(a, b)))); }
__host__ __device__ inline __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16(__saturatef(__value(__hfma(a, b, c)))); }
__host__ __device__ inline __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16(fmaxf(__value(__hfma(a, b, c)), 0.0f)); }
__host__ __device__ inline bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return __value(a) == __value(b); }
__host__ __device__ inline bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return __value(a) != __value(b); }
__host__ __device__ inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return __value(a) < __value(b); }
__host__ __device__ inline bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return __value(a) <= __value(b); }
__host__ __device__ inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return __value(a) > __value(b); }
__host__ __device__ inline bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return __value(a) >= __value(b); }
__host__ __device__ inline bool __hisnan(__nv_bfloat16 a) { return isnan(__value(a)); }
__host__ __device__ inline int __hisinf(__nv_bfloat16 a) { return isinf(__value(a)) ? (__value(a) > 0.0f ? 1 : -1) : 0; }
__host__ __device__ inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fmaxf(__value(a), __value(b))); }
__host__ __device__ inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fminf(__value(a), __value(b))); }
__host__ __device__ inline __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(sqrt((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(rsqrt((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(1.0 / (double)__value(a))); }
__host__ __device__ inline __nv_bfloat16 hexp(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(exp((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hexp2(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(exp2((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hexp10(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(exp10((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hlog(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(log((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hlog2(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(log2((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hlog10(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(log10((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hsin(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(sin((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hcos(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(cos((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(floor((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hceil(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(ceil((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 htrunc(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(trunc((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 hrint(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(rint((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 htanh(__nv_bfloat16 a) { return __make_nv_bfloat16(__to_bfloat16_bits(tanh((double)__value(a)))); }
__host__ __device__ inline __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
__host__ __device__ inline __nv_bfloat16 &operator+=(__nv_bfloat16 &a, __nv_bfloat16 b) { a = __hadd(a, b); return a; }
__host__ __device__ inline __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
__host__ __device__ inline __nv_bfloat16 &operator-=(__nv_bfloat16 &a, __nv_bfloat16 b) { a = __hsub(a, b); return a; }
__host__ __device__ inline __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
__host__ __device__ inline __nv_bfloat16 &operator*=(__nv_bfloat16 &a, __nv_bfloat16 b) { a = __hmul(a, b); return a; }
__host__ __device__ inline __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
__host__ __device__ inline __nv_bfloat16 &operator/=(__nv_bfloat16 &a, __nv_bfloat16 b) { a = __hdiv(a, b); return a; }
__host__ __device__ inline __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
__host__ __device__ inline __nv_bfloat16 operator+(__nv_bfloat16 a) { return a; }
__host__ __device__ inline __nv_bfloat16 &operator++(__nv_bfloat16 &a) { a = __hadd(a, __nv_bfloat16(1.0f)); return a; }
__host__ __device__ inline __nv_bfloat16 &operator--(__nv_bfloat16 &a) { a = __hsub(a, __nv_bfloat16(1.0f)); return a; }
__host__ __device__ inline bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return __heq(a, b); }
__host__ __device__ inline bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hne(a, b); }
__host__ __device__ inline bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return __hlt(a, b); }
__host__ __device__ inline bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hle(a, b); }
__host__ __device__ inline bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return __hgt(a, b); }
__host__ __device__ inline bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hge(a, b); }
__host__ __device__ inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
__host__ __device__ inline __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
__host__ __device__ inline __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
__host__ __device__ inline __nv_bfloat162 &operator+=(__nv_bfloat162 &a, __nv_bfloat162 b) { a = __hadd2(a, b); return a; }
__host__ __device__ inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
__host__ __device__ inline __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
__host__ __device__ inline __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
__host__ __device__ inline __nv_bfloat162 &operator-=(__nv_bfloat162 &a, __nv_bfloat162 b) { a = __hsub2(a, b); return a; }
__host__ __device__ inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
__host__ __device__ inline __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
__host__ __device__ inline __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
__host__ __device__ inline __nv_bfloat162 &operator*=(__nv_bfloat162 &a, __nv_bfloat162 b) { a = __hmul2(a, b); return a; }
__host__ __device__ inline __nv_bfloat162 __hdiv2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__host__ __device__ inline __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return __hdiv2(a, b); }
__host__ __device__ inline __nv_bfloat162 &operator/=(__nv_bfloat162 &a, __nv_bfloat162 b) { a = __hdiv2(a, b); return a; }
__host__ __device__ inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__host__ __device__ inline __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(__hneg(a.x), __hneg(a.y)); }
__host__ __device__ inline __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __nv_bfloat162(__habs(a.x), __habs(a.y)); }
__host__ __device__ inline __nv_bfloat162 operator-(__nv_bfloat162 a) { return __hneg2(a); }
__host__ __device__ inline __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__host__ __device__ inline __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__host__ __device__ inline bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__host__ __device__ inline bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__host__ __device__ inline bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__host__ __device__ inline bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__host__ __device__ inline bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__host__ __device__ inline bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__host__ __device__ inline bool operator==(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbeq2(a, b); }
__host__ __device__ inline __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return __nv_bfloat162(hsqrt(a.x), hsqrt(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return __nv_bfloat162(hrsqrt(a.x), hrsqrt(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return __nv_bfloat162(hrcp(a.x), hrcp(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2exp(__nv_bfloat162 a) { return __nv_bfloat162(hexp(a.x), hexp(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return __nv_bfloat162(hexp2(a.x), hexp2(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2log(__nv_bfloat162 a) { return __nv_bfloat162(hlog(a.x), hlog(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2log2(__nv_bfloat162 a) { return __nv_bfloat162(hlog2(a.x), hlog2(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2sin(__nv_bfloat162 a) { return __nv_bfloat162(hsin(a.x), hsin(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2cos(__nv_bfloat162 a) { return __nv_bfloat162(hcos(a.x), hcos(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2floor(__nv_bfloat162 a) { return __nv_bfloat162(hfloor(a.x), hfloor(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return __nv_bfloat162(hceil(a.x), hceil(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return __nv_bfloat162(htrunc(a.x), htrunc(a.y)); }
__host__ __device__ inline __nv_bfloat162 h2rint(__nv_bfloat162 a) { return __nv_bfloat162(hrint(a.x), hrint(a.y)); }
__host__ __device__ inline short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
__host__ __device__ inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
__host__ __device__ inline __nv_bfloat16 __short_as_bfloat16(short v) { return __make_nv_bfloat16((unsigned short)v); }
__host__ __device__ inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __make_nv_bfloat16(v); }
__host__ __device__ inline float __bfloat162float(__nv_bfloat16 a) { return __value(a); }
__host__ __device__ inline __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
__host__ __device__ inline __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
__host__ __device__ inline __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
__host__ __device__ inline __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
__host__ __device__ inline int __bfloat162int_rz(__nv_bfloat16 a) { return (int)__value(a); }
__host__ __device__ inline int __bfloat162int_rn(__nv_bfloat16 a) { return (int)rintf(__value(a)); }
__host__ __device__ inline __nv_bfloat16 __uint2bfloat16_rn(unsigned int v) { return __nv_bfloat16(v); }
__host__ __device__ inline unsigned int __bfloat162uint_rz(__nv_bfloat16 a) { return (unsigned int)__value(a); }
__host__ __device__ inline unsigned int __bfloat162uint_rn(__nv_bfloat16 a) { return (unsigned int)rintf(__value(a)); }
__host__ __device__ inline __nv_bfloat16 __short2bfloat16_rn(short v) { return __nv_bfloat16(v); }
__host__ __device__ inline short __bfloat162short_rz(__nv_bfloat16 a) { return (short)__value(a); }
__host__ __device__ inline short __bfloat162short_rn(__nv_bfloat16 a) { return (short)rintf(__value(a)); }
__host__ __device__ inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) { return __nv_bfloat16(v); }
__host__ __device__ inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) { return (unsigned short)__value(a); }
__host__ __device__ inline unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) { return (unsigned short)rintf(__value(a)); }
__host__ __device__ inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__host__ __device__ inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__host__ __device__ inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__host__ __device__ inline __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v)); }
__host__ __device__ inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
__host__ __device__ inline __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __nv_bfloat162(__nv_bfloat16(v.x), __nv_bfloat16(v.y)); }
__host__ __device__ inline float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2(__value(v.x), __value(v.y)); }
__host__ __device__ inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
__host__ __device__ inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
__host__ __device__ inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
__host__ __device__ inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
__host__ __device__ inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
__host__ __device__ inline float __low2float(__nv_bfloat162 v) { return __value(v.x); }
__host__ __device__ inline float __high2float(__nv_bfloat162 v) { return __value(v.y); }
__device__ inline __nv_bfloat16 __ldg(const __nv_bfloat16 *p) { return __make_nv_bfloat16(__ldg((const unsigned short *)p)); }
__device__ inline __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
    return __make_nv_bfloat16(__atomic_add_bf16((unsigned short *)p, v.__x));
}
__device__ inline __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
    unsigned int both = __atomic_add_bf16((unsigned int *)p, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16);
    return __nv_bfloat162(__make_nv_bfloat16((unsigned short)both), __make_nv_bfloat16((unsigned short)(both >> 16)));
}
__device__ inline __nv_bfloat16 __shfl_sync(unsigned int mask, __nv_bfloat16 v, int lane, int width = 32) {
    return __make_nv_bfloat16((unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width));
}
__device__ inline __nv_bfloat162 __shfl_sync(unsigned int mask, __nv_bfloat162 v, int lane, int width = 32) {
    unsigned int both = __shfl_sync(mask, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16, lane, width);
    return __nv_bfloat162(__make_nv_bfloat16((unsigned short)both), __make_nv_bfloat16((unsigned short)(both >> 16)));
}
__device__ inline __nv_bfloat16 __shfl_up_sync(unsigned int mask, __nv_bfloat16 v, unsigned int lane, int width = 32) {
    return __make_nv_bfloat16((unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, lane, width));
}
__device__ inline __nv_bfloat162 __shfl_up_sync(unsigned int mask, __nv_bfloat162 v, unsigned int lane, int width = 32) {
    unsigned int both = __shfl_up_sync(mask, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16, lane, width);
    return __nv_bfloat162(__make_nv_bfloat16((unsigned short)both), __make_nv_bfloat16((unsigned short)(both >> 16)));
}
__device__ inline __nv_bfloat16 __shfl_down_sync(unsigned int mask, __nv_bfloat16 v, unsigned int lane, int width = 32) {
    return __make_nv_bfloat16((unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, lane, width));
}
__device__ inline __nv_bfloat162 __shfl_down_sync(unsigned int mask, __nv_bfloat162 v, unsigned int lane, int width = 32) {
    unsigned int both = __shfl_down_sync(mask, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16, lane, width);
    return __nv_bfloat162(__make_nv_bfloat16((unsigned short)both), __make_nv_bfloat16((unsigned short)(both >> 16)));
}
__device__ inline __nv_bfloat16 __shfl_xor_sync(unsigned int mask, __nv_bfloat16 v, int lane, int width = 32) {
    return __make_nv_bfloat16((unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lane, width));
}
__device__ inline __nv_bfloat162 __shfl_xor_sync(unsigned int mask, __nv_bfloat162 v, int lane, int width = 32) {
    unsigned int both = __shfl_xor_sync(mask, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16, lane, width);
    return __nv_bfloat162(__make_nv_bfloat16((unsigned short)both), __make_nv_bfloat16((unsigned short)(both >> 16)));
}
__device__ inline __nv_bfloat162 __ldg(const __nv_bfloat162 *p) {
    unsigned int bits = __ldg((const unsigned int *)p);
    return __nv_bfloat162(__make_nv_bfloat16((unsigned short)bits), __make_nv_bfloat16((unsigned short)(bits >> 16)));
}
#define __LOAD(NAME)                                                                                              \
    __device__ inline __nv_bfloat16 NAME(const __nv_bfloat16 *p) { return __make_nv_bfloat16(NAME((const unsigned short *)p)); }            \
    __device__ inline __nv_bfloat162 NAME(const __nv_bfloat162 *p) {                                                             \
        unsigned int bits = NAME((const unsigned int *)p);                                                        \
        return __nv_bfloat162(__make_nv_bfloat16((unsigned short)bits), __make_nv_bfloat16((unsigned short)(bits >> 16)));                        \
    }
__LOAD(__ldca)
__LOAD(__ldcg)
__LOAD(__ldcs)
__LOAD(__ldlu)
__LOAD(__ldcv)
#undef __LOAD
#define __STORE(NAME)                                                                                             \
    __device__ inline void NAME(__nv_bfloat16 *p, __nv_bfloat16 v) { NAME((unsigned short *)p, v.__x); }                        \
    __device__ inline void NAME(__nv_bfloat162 *p, __nv_bfloat162 v) {                                                          \
        NAME((unsigned int *)p, (unsigned int)v.x.__x | (unsigned int)v.y.__x << 16);                             \
    }
__STORE(__stwb)
__STORE(__stcg)
__STORE(__stcs)
__STORE(__stwt)
#undef __STORE
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
