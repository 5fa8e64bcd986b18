// Instructions of PTX as functions, for inline assembly. Read before a file that has an `asm` statement (see `preprocess::composed`).
//
// `mul.hi.u32 d, a, b` is `d = i_mul_hi<u32>(a, b)`: the opcode and its modifiers, joined by `_`, without those that change nothing here,
// and as template arguments the types. A template parameter `operand_3` is the constant that operand 3 (the result is 0) must be. What
// no function takes is not supported, nor what is declared only. A register named `%tid.x` is the function `register_tid_x`.
#pragma once
namespace __ptx {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

template <bool> struct when {};
template <> struct when<true> { typedef int type; };
#define WHEN(...) typename when<__VA_ARGS__>::type = 0
#define FUNCTION __device__ inline

// binary16, bfloat16 and pairs of them compute in double precision and round once.
struct f16 {
    u16 bits;
    FUNCTION explicit f16(double v) : bits(__to_half_bits(v)) {}
    FUNCTION explicit operator double() const { return __half_bits_to_float(bits); }
};
struct bf16 {
    u16 bits;
    FUNCTION explicit bf16(double v) : bits(__to_bfloat16_bits(v)) {}
    FUNCTION explicit operator double() const { return __uint_as_float((u32)bits << 16); }
};
FUNCTION f16 from_bits(u16 bits, f16 *) { f16 v(0.0); v.bits = bits; return v; }
FUNCTION bf16 from_bits(u16 bits, bf16 *) { bf16 v(0.0); v.bits = bits; return v; }
template <class H> struct pair {
    u32 bits;
    FUNCTION pair(H low, H high) : bits((u32)high.bits << 16 | low.bits) {}
    FUNCTION H low() const { return from_bits((u16)bits, (H *)0); }
    FUNCTION H high() const { return from_bits((u16)(bits >> 16), (H *)0); }
};
typedef pair<f16> f16x2;
typedef pair<bf16> bf16x2;

// What a type is: signed or unsigned integer, float, double, half, pair, predicate.
enum { SIGNED = 1, UNSIGNED = 2, SINGLE = 4, DOUBLE = 8, HALF = 16, PAIR = 32, PREDICATE = 64 };
template <class T> struct type { static constexpr int kind = PREDICATE, bits = 1; };
#define TYPE(T, KIND, BITS) template <> struct type<T> { static constexpr int kind = KIND, bits = BITS; };
TYPE(s8, SIGNED, 8) TYPE(s16, SIGNED, 16) TYPE(s32, SIGNED, 32) TYPE(s64, SIGNED, 64)
TYPE(u8, UNSIGNED, 8) TYPE(u16, UNSIGNED, 16) TYPE(u32, UNSIGNED, 32) TYPE(u64, UNSIGNED, 64)
TYPE(float, SINGLE, 32) TYPE(double, DOUBLE, 64) TYPE(f16, HALF, 16) TYPE(bf16, HALF, 16)
TYPE(f16x2, PAIR, 32) TYPE(bf16x2, PAIR, 32)
template <class T> __host__ __device__ constexpr bool is(int kinds) { return (type<T>::kind & kinds) != 0 && type<T>::bits != 8; }
template <class T> __host__ __device__ constexpr bool is_word(int kinds) { return is<T>(kinds) && type<T>::bits >= 32; }
#define INTEGER (SIGNED | UNSIGNED)
#define REAL (SINGLE | DOUBLE | HALF)
#define NUMBER (INTEGER | REAL | PAIR)

template <class T> struct wide {};
template <> struct wide<s16> { typedef s32 type; };
template <> struct wide<u16> { typedef u32 type; };
template <> struct wide<s32> { typedef s64 type; };
template <> struct wide<u32> { typedef u64 type; };
template <class T> struct without_sign { typedef T type; };
template <> struct without_sign<s16> { typedef u16 type; };
template <> struct without_sign<s32> { typedef u32 type; };
template <> struct without_sign<s64> { typedef u64 type; };

// Functions of numbers, for each type: integers as such, halves in double precision, pairs each for itself.
#define OF_HALVES_1(NAME)                                                                             \
    FUNCTION f16 NAME(f16 a) { return f16(NAME((double)a)); }                                         \
    FUNCTION bf16 NAME(bf16 a) { return bf16(NAME((double)a)); }                                      \
    template <class H> FUNCTION pair<H> NAME(pair<H> a) { return pair<H>(NAME(a.low()), NAME(a.high())); }
#define OF_HALVES_2(NAME)                                                                             \
    FUNCTION f16 NAME(f16 a, f16 b) { return f16(NAME((double)a, (double)b)); }                       \
    FUNCTION bf16 NAME(bf16 a, bf16 b) { return bf16(NAME((double)a, (double)b)); }                   \
    template <class H> FUNCTION pair<H> NAME(pair<H> a, pair<H> b) {                                  \
        return pair<H>(NAME(a.low(), b.low()), NAME(a.high(), b.high()));                             \
    }
#define OF_TWO(NAME, INTEGERS, FLOAT, DOUBLE)                                                         \
    template <class T> FUNCTION T NAME(T a, T b) { return (T)(INTEGERS); }                            \
    FUNCTION float NAME(float a, float b) { return FLOAT(a, b); }                                     \
    FUNCTION double NAME(double a, double b) { return DOUBLE(a, b); }                                 \
    OF_HALVES_2(NAME)
#define OF_ONE(NAME, INTEGERS, FLOAT, DOUBLE)                                                         \
    template <class T> FUNCTION T NAME(T a) { return (T)(INTEGERS); }                                 \
    FUNCTION float NAME(float a) { return FLOAT(a); }                                                 \
    FUNCTION double NAME(double a) { return DOUBLE(a); }                                              \
    OF_HALVES_1(NAME)
OF_TWO(sum, a + b, __fadd_rn, __dadd_rn)
OF_TWO(difference, a - b, __fsub_rn, __dsub_rn)
OF_TWO(product, a * b, __fmul_rn, __dmul_rn)
OF_TWO(least, min(a, b), fminf, fmin)
OF_TWO(most, max(a, b), fmaxf, fmax)
FUNCTION float negation(float a) { return -a; }
FUNCTION double negation(double a) { return -a; }
template <class T> FUNCTION T negation(T a) { return (T)-a; }
OF_HALVES_1(negation)
OF_ONE(size, abs(a), fabsf, fabs)
FUNCTION float fused(float a, float b, float c) { return fmaf(a, b, c); }
FUNCTION double fused(double a, double b, double c) { return fma(a, b, c); }
FUNCTION f16 fused(f16 a, f16 b, f16 c) { return f16(fma((double)a, (double)b, (double)c)); }
FUNCTION bf16 fused(bf16 a, bf16 b, bf16 c) { return bf16(fma((double)a, (double)b, (double)c)); }
template <class H> FUNCTION pair<H> fused(pair<H> a, pair<H> b, pair<H> c) {
    return pair<H>(fused(a.low(), b.low(), c.low()), fused(a.high(), b.high(), c.high()));
}

#define TWO(NAME, KINDS, VALUE) template <class T, WHEN(is<T>(KINDS))> FUNCTION T NAME(T a, T b) { return VALUE; }
#define ONE(NAME, KINDS, VALUE) template <class T, WHEN(is<T>(KINDS))> FUNCTION T NAME(T a) { return VALUE; }
TWO(i_add, NUMBER, sum(a, b))
TWO(i_sub, NUMBER, difference(a, b))
TWO(i_mul, REAL | PAIR, product(a, b))
TWO(i_mul_lo, INTEGER, product(a, b))
TWO(i_div, INTEGER | SINGLE | DOUBLE, (T)(a / b))
TWO(i_rem, INTEGER, (T)(a % b))
TWO(i_min, NUMBER, least(a, b))
TWO(i_max, NUMBER, most(a, b))
TWO(i_and, INTEGER | PREDICATE, (T)(a & b))
TWO(i_or, INTEGER | PREDICATE, (T)(a | b))
TWO(i_xor, INTEGER | PREDICATE, (T)(a ^ b))
ONE(i_not, INTEGER, (T)~a)
ONE(i_not, PREDICATE, !a)
ONE(i_cnot, INTEGER, a == 0 ? (T)1 : (T)0)
ONE(i_neg, SIGNED | REAL | PAIR, negation(a))
ONE(i_abs, SIGNED | REAL | PAIR, size(a))
template <class T, WHEN(is<T>(INTEGER))> FUNCTION T i_shl(T a, u32 by) { return (T)(a << by); }
template <class T, WHEN(is<T>(INTEGER))> FUNCTION T i_shr(T a, u32 by) { return (T)(a >> by); }
template <class T, WHEN(is<T>(REAL | PAIR))> FUNCTION T i_fma(T a, T b, T c) { return fused(a, b, c); }
template <class T, WHEN(is<T>(SINGLE | DOUBLE))> FUNCTION T i_mad(T a, T b, T c) { return fused(a, b, c); }
template <class T, WHEN(is<T>(INTEGER))> FUNCTION T i_mad_lo(T a, T b, T c) { return (T)(a * b + c); }

FUNCTION s16 high(s16 a, s16 b) { return (s16)((s32)a * b >> 16); }
FUNCTION u16 high(u16 a, u16 b) { return (u16)((u32)a * b >> 16); }
FUNCTION s32 high(s32 a, s32 b) { return __mulhi(a, b); }
FUNCTION u32 high(u32 a, u32 b) { return __umulhi(a, b); }
FUNCTION s64 high(s64 a, s64 b) { return __mul64hi(a, b); }
FUNCTION u64 high(u64 a, u64 b) { return __umul64hi(a, b); }
TWO(i_mul_hi, INTEGER, high(a, b))
template <class T, WHEN(is<T>(INTEGER))> FUNCTION T i_mad_hi(T a, T b, T c) { return (T)(high(a, b) + c); }
template <class T> FUNCTION typename wide<T>::type i_mul_wide(T a, T b) {
    return (typename wide<T>::type)a * (typename wide<T>::type)b;
}
template <class T> FUNCTION typename wide<T>::type i_mad_wide(T a, T b, typename wide<T>::type c) {
    return (typename wide<T>::type)a * (typename wide<T>::type)b + c;
}
template <class T, WHEN(is<T>(INTEGER))> FUNCTION T i_sad(T a, T b, typename without_sign<T>::type c) {
    return (T)(c + (typename without_sign<T>::type)(a < b ? b - a : a - b));
}

// Functions; those of half precision are of `float`.
#define OF_REALS(NAME, FLOAT, DOUBLE)                                                                 \
    FUNCTION float NAME##_of(float a) { return FLOAT(a); }                                            \
    FUNCTION double NAME##_of(double a) { return DOUBLE(a); }                                         \
    OF_HALVES_1(NAME##_of)                                                                            \
    ONE(i_##NAME, REAL | PAIR, NAME##_of(a))
OF_REALS(ex2, exp2f, exp2)
OF_REALS(lg2, log2f, log2)
OF_REALS(sqrt, sqrtf, sqrt)
OF_REALS(rsqrt, rsqrtf, rsqrt)
OF_REALS(sin, sinf, sin)
OF_REALS(cos, cosf, cos)
OF_REALS(tanh, tanhf, tanh)
ONE(i_rcp, SINGLE | DOUBLE, (T)1 / a)
FUNCTION float copysign_of(float a, float b) { return copysignf(b, a); }
FUNCTION double copysign_of(double a, double b) { return copysign(b, a); }
TWO(i_copysign, SINGLE | DOUBLE, copysign_of(a, b))
#define DIRECTED(NAME, OPERATION)                                                                     \
    FUNCTION float NAME##_of(float a, float b) { return __f##OPERATION(a, b); }                       \
    FUNCTION double NAME##_of(double a, double b) { return __d##OPERATION(a, b); }                    \
    TWO(i_##NAME, SINGLE | DOUBLE, NAME##_of(a, b))
DIRECTED(add_rz, add_rz) DIRECTED(add_rm, add_rd) DIRECTED(add_rp, add_ru)
DIRECTED(sub_rz, sub_rz) DIRECTED(sub_rm, sub_rd) DIRECTED(sub_rp, sub_ru)
DIRECTED(mul_rz, mul_rz) DIRECTED(mul_rm, mul_rd) DIRECTED(mul_rp, mul_ru)
template <class T, WHEN(is<T>(SINGLE))> FUNCTION T i_add_sat(T a, T b) { return __saturatef(sum(a, b)); }
template <class T, WHEN(is<T>(SINGLE))> FUNCTION T i_mul_sat(T a, T b) { return __saturatef(product(a, b)); }
template <class T, WHEN(is<T>(SINGLE))> FUNCTION T i_fma_sat(T a, T b, T c) { return __saturatef(fused(a, b, c)); }
template <class T, WHEN(is<T>(SINGLE | DOUBLE))> FUNCTION bool i_testp_finite(T a) { return isfinite(a); }
template <class T, WHEN(is<T>(SINGLE | DOUBLE))> FUNCTION bool i_testp_infinite(T a) { return isinf(a); }
template <class T, WHEN(is<T>(SINGLE | DOUBLE))> FUNCTION bool i_testp_notanumber(T a) { return isnan(a); }
template <class T, WHEN(is<T>(SINGLE | DOUBLE))> FUNCTION bool i_testp_number(T a) { return !isnan(a); }

// Comparisons, by themselves and joined with another predicate.
FUNCTION double number(f16 v) { return (double)v; }
FUNCTION double number(bf16 v) { return (double)v; }
template <class T> FUNCTION T number(T v) { return v; }
#define COMPARISON(NAME, KINDS, ORDER)                                                                \
    template <class T, WHEN(is<T>(KINDS))> FUNCTION bool i_setp_##NAME(T a, T b) { return ORDER; }      \
    template <class T, WHEN(is<T>(KINDS))> FUNCTION bool i_setp_##NAME##_and(T a, T b, bool c) { return (ORDER) & c; } \
    template <class T, WHEN(is<T>(KINDS))> FUNCTION bool i_setp_##NAME##_or(T a, T b, bool c) { return (ORDER) | c; } \
    template <class T, WHEN(is<T>(KINDS))> FUNCTION bool i_setp_##NAME##_xor(T a, T b, bool c) { return (ORDER) ^ c; }
#define UNORDERED(NAME, OPPOSITE) COMPARISON(NAME, REAL, !(number(a) OPPOSITE number(b)))
COMPARISON(eq, INTEGER | REAL, number(a) == number(b))
COMPARISON(ne, INTEGER, a != b)
COMPARISON(lt, INTEGER | REAL, number(a) < number(b))
COMPARISON(le, INTEGER | REAL, number(a) <= number(b))
COMPARISON(gt, INTEGER | REAL, number(a) > number(b))
COMPARISON(ge, INTEGER | REAL, number(a) >= number(b))
COMPARISON(lo, UNSIGNED, a < b)
COMPARISON(ls, UNSIGNED, a <= b)
COMPARISON(hi, UNSIGNED, a > b)
COMPARISON(hs, UNSIGNED, a >= b)
COMPARISON(ne, REAL, number(a) < number(b) | number(a) > number(b))
COMPARISON(equ, REAL, !(number(a) < number(b) | number(a) > number(b)))
UNORDERED(neu, ==)
UNORDERED(ltu, >=)
UNORDERED(leu, >)
UNORDERED(gtu, <=)
UNORDERED(geu, <)
COMPARISON(num, REAL, number(a) == number(a) & number(b) == number(b))
COMPARISON(nan, REAL, number(a) != number(a) | number(b) != number(b))
template <class T> FUNCTION T i_selp(T a, T b, bool c) { return c ? a : b; }
template <class T> FUNCTION T i_mov(T a) { return a; }
template <class T, class C, WHEN(type<C>::kind == SIGNED || type<C>::kind == SINGLE)> FUNCTION T i_slct(T a, T b, C c) {
    return c >= 0 ? a : b;
}

// Conversions.
template <class TO, class FROM, WHEN(is<FROM>(HALF))> FUNCTION TO converted(FROM a) { return (TO)(double)a; }
template <class TO, class FROM, WHEN(!is<FROM>(HALF) && !is<TO>(HALF))> FUNCTION TO converted(FROM a) { return (TO)a; }
template <class TO, class FROM, WHEN(!is<FROM>(HALF) && is<TO>(HALF))> FUNCTION TO converted(FROM a) { return TO((double)a); }
#define CONVERSION(NAME, CONDITION, VALUE)                                                            \
    template <class TO, class FROM, WHEN((type<TO>::kind & PAIR) == 0 && (type<FROM>::kind & PAIR) == 0 && (CONDITION))> \
    FUNCTION TO NAME(FROM a) { return VALUE; }
#define TO_INTEGER ((type<TO>::kind & INTEGER) != 0 && (type<FROM>::kind & REAL) != 0)
CONVERSION(i_cvt, !TO_INTEGER, (converted<TO, FROM>(a)))
CONVERSION(i_cvt_rzi, TO_INTEGER, (converted<TO, FROM>(a)))
CONVERSION(i_cvt_rni, TO_INTEGER, (TO)rint((double)a))
CONVERSION(i_cvt_rmi, TO_INTEGER, (TO)floor((double)a))
CONVERSION(i_cvt_rpi, TO_INTEGER, (TO)ceil((double)a))
template <class TO, class FROM, WHEN(is<TO>(SINGLE | DOUBLE) && is<FROM>(SINGLE | DOUBLE))> FUNCTION TO i_cvt_sat(FROM a) {
    return (TO)(a > (FROM)0 ? a < (FROM)1 ? a : (FROM)1 : (FROM)0);
}
template <class TO, class FROM> struct halves_of {};
template <class H> struct halves_of<pair<H>, float> { typedef H type; };
template <class TO, class FROM> FUNCTION TO i_cvt(FROM high, FROM low) {
    typedef typename halves_of<TO, FROM>::type H;
    return TO(H((double)low), H((double)high));
}

// Bits.
FUNCTION u32 reversed(u32 a) { return __brev(a); }
FUNCTION u64 reversed(u64 a) { return __brevll(a); }
FUNCTION u32 ones(u32 a) { return (u32)__popc(a); }
FUNCTION u32 ones(u64 a) { return (u32)__popcll(a); }
FUNCTION s32 zeros(u32 a) { return __clz((s32)a); }
FUNCTION s32 zeros(u64 a) { return __clzll((s64)a); }
template <class T, WHEN(is_word<T>(UNSIGNED))> FUNCTION T i_brev(T a) { return reversed(a); }
template <class T, WHEN(is_word<T>(UNSIGNED))> FUNCTION u32 i_popc(T a) { return ones(a); }
template <class T, WHEN(is_word<T>(UNSIGNED))> FUNCTION u32 i_clz(T a) { return (u32)zeros(a); }
// The highest bit that differs from the sign; all ones for none.
template <class T, WHEN(is_word<T>(INTEGER))> FUNCTION u32 i_bfind(T a) {
    typedef typename without_sign<T>::type U;
    U bits = is<T>(SIGNED) ? (U)(a ^ a >> type<T>::bits - 1) : (U)a;
    return (u32)(type<T>::bits - 1 - zeros(bits));
}
template <class T, WHEN(is_word<T>(INTEGER))> FUNCTION u32 i_bfind_shiftamt(T a) {
    u32 at = i_bfind<T>(a);
    return at == 0xffffffffu ? at : (u32)(type<T>::bits - 1) - at;
}
// A field is shifted to the top and down again, which brings its sign along; beyond the word it is the word's sign.
template <class T, WHEN(is_word<T>(INTEGER))> FUNCTION T i_bfe(T a, u32 start, u32 length) {
    length &= 255u;
    T moved = (T)(a >> (start & 255u));
    u32 rest = (u32)type<T>::bits - (length < (u32)type<T>::bits ? length : (u32)type<T>::bits);
    return length == 0u ? (T)0 : (T)((T)(moved << rest) >> rest);
}
template <class T, WHEN(is_word<T>(UNSIGNED))> FUNCTION T i_bfi(T a, T into, u32 start, u32 length) {
    start &= 255u;
    T mask = (T)((((T)1 << (length & 255u)) - (T)1) << start);
    return (T)(((a << start) & mask) | (into & ~mask));
}
template <class T, int operand_4, WHEN(type<T>::kind == UNSIGNED && type<T>::bits == 32 && operand_4 >= 0 && operand_4 < 256)>
FUNCTION T i_lop3(T a, T b, T c) {
    T result = 0;
    if (operand_4 & 128) result |= a & b & c;
    if (operand_4 & 64) result |= a & b & ~c;
    if (operand_4 & 32) result |= a & ~b & c;
    if (operand_4 & 16) result |= a & ~b & ~c;
    if (operand_4 & 8) result |= ~a & b & c;
    if (operand_4 & 4) result |= ~a & b & ~c;
    if (operand_4 & 2) result |= ~a & ~b & c;
    if (operand_4 & 1) result |= ~a & ~b & ~c;
    return result;
}
// Bytes of two words, chosen by four bits each; the highest of these takes the byte's sign alone.
template <class T> FUNCTION T i_prmt(T low, T high, T selector) {
    u64 both = (u64)high << 32 | low;
    u32 result = 0;
    #pragma unroll
    for (u32 n = 0; n < 4; n++) {
        u32 nibble = selector >> 4 * n & 15u;
        s32 byte = (s8)(both >> (nibble & 7u) * 8u);
        result |= ((u32)((nibble & 8u) != 0 ? byte >> 7 : byte) & 255u) << 8 * n;
    }
    return result;
}
template <class T> FUNCTION T i_shf_l_clamp(T a, T b, u32 by) { return by >= 32u ? a : __funnelshift_l(a, b, by); }
template <class T> FUNCTION T i_shf_r_clamp(T a, T b, u32 by) { return by >= 32u ? b : __funnelshift_r(a, b, by); }
template <class T> FUNCTION T i_shf_l_wrap(T a, T b, u32 by) { return __funnelshift_l(a, b, by); }
template <class T> FUNCTION T i_shf_r_wrap(T a, T b, u32 by) { return __funnelshift_r(a, b, by); }
template <class A> FUNCTION s32 byte_of(u32 word, u32 n) { return is<A>(SIGNED) ? (s32)(s8)(word >> n) : (s32)(u8)(word >> n); }
template <class A, class B, WHEN(is_word<A>(INTEGER) && is_word<B>(INTEGER))> FUNCTION u32 i_dp4a(u32 a, u32 b, u32 c) {
    #pragma unroll
    for (u32 n = 0; n < 32; n += 8) c += (u32)(byte_of<A>(a, n) * byte_of<B>(b, n));
    return c;
}
FUNCTION u64 joined(u32 low, u32 high) { return (u64)high << 32 | low; }
FUNCTION u32 joined(u16 low, u16 high) { return (u32)high << 16 | low; }
template <class T> struct half_word {};
template <> struct half_word<u32> { typedef u16 type; };
template <> struct half_word<u64> { typedef u32 type; };
template <class T> struct two { T low, high; };
template <class T> FUNCTION T i_mov_join(typename half_word<T>::type low, typename half_word<T>::type high) { return joined(low, high); }
template <class T> FUNCTION two<typename half_word<T>::type> i_mov_split(T a) {
    typedef typename half_word<T>::type H;
    return {(H)a, (H)(a >> type<H>::bits)};
}

// Addresses: a generic pointer to shared memory, and the number of the byte there.
template <class T> FUNCTION T i_cvta_to_global(T a) { return a; }
template <class T> FUNCTION T i_cvta_global(T a) { return a; }
template <class T> FUNCTION T i_cvta_to_shared(T a) { return (T)__cvta_generic_to_shared((const void *)a); }
template <class T> FUNCTION T i_cvta_shared(T a) { return (T)__cvta_shared_to_generic((size_t)a); }
template <class T> FUNCTION bool i_isspacep_shared(T a) { return __isShared((const void *)a) != 0; }
template <class T> FUNCTION bool i_isspacep_global(T a) { return __isGlobal((const void *)a) != 0; }
FUNCTION void i_prefetch_L1(const u8 *) {}
FUNCTION void i_prefetch_L2(const u8 *) {}
FUNCTION void i_prefetchu_L1(const u8 *) {}

// Barriers, votes, shuffles, asynchronous copies. Without a number of threads every thread of the block takes part, whichever of the
// 16 barriers it is. With one, warps meet that need not be all warps of the block, or arrive without waiting for the others.
#define BARRIER(SYNC, ARRIVE) \
template <int operand_0, WHEN(operand_0 >= 0 && operand_0 < 16)> FUNCTION void SYNC() { __syncthreads(); } \
template <int operand_0, WHEN(operand_0 >= 0 && operand_0 < 16)> FUNCTION void SYNC(u32 threads) { __named_await(operand_0, __named_arrive(operand_0, threads)); } \
FUNCTION void SYNC(u32 barrier, u32 threads) { __named_await(barrier, __named_arrive(barrier, threads)); } \
template <int operand_0, WHEN(operand_0 >= 0 && operand_0 < 16)> FUNCTION void ARRIVE(u32 threads) { __named_arrive(operand_0, threads); } \
FUNCTION void ARRIVE(u32 barrier, u32 threads) { __named_arrive(barrier, threads); }
BARRIER(i_bar_sync, i_bar_arrive) BARRIER(i_bar_cta_sync, i_bar_cta_arrive)
BARRIER(i_barrier_sync, i_barrier_arrive) BARRIER(i_barrier_cta_sync, i_barrier_cta_arrive)
BARRIER(i_barrier_sync_aligned, i_barrier_arrive_aligned) BARRIER(i_barrier_cta_sync_aligned, i_barrier_cta_arrive_aligned)
FUNCTION void i_bar_warp_sync(u32 members) { __syncwarp(members); }
template <class T, int operand_3, WHEN(operand_3 == 31)> FUNCTION T i_shfl_sync_idx(T a, u32 lane, u32 members) { return __shfl_sync(members, a, (int)lane); }
template <class T, int operand_3, WHEN(operand_3 == 31)> FUNCTION T i_shfl_sync_bfly(T a, u32 lane, u32 members) { return __shfl_xor_sync(members, a, (int)lane); }
template <class T, int operand_3, WHEN(operand_3 == 31)> FUNCTION T i_shfl_sync_down(T a, u32 by, u32 members) { return __shfl_down_sync(members, a, by); }
template <class T, int operand_3, WHEN(operand_3 == 0)> FUNCTION T i_shfl_sync_up(T a, u32 by, u32 members) { return __shfl_up_sync(members, a, by); }
template <class T> FUNCTION T i_vote_sync_ballot(bool p, u32 members) { return __ballot_sync(members, p); }
template <class T> FUNCTION bool i_vote_sync_any(bool p, u32 members) { return __any_sync(members, p) != 0; }
template <class T> FUNCTION bool i_vote_sync_all(bool p, u32 members) { return __all_sync(members, p) != 0; }
template <class T> FUNCTION u32 i_match_any_sync(T a, u32 members) { return __match_any_sync(members, a); }
template <class T> FUNCTION T i_redux_sync_add(T a, u32 members) { return __reduce_add_sync(members, a); }
template <class T> FUNCTION T i_redux_sync_min(T a, u32 members) { return __reduce_min_sync(members, a); }
template <class T> FUNCTION T i_redux_sync_max(T a, u32 members) { return __reduce_max_sync(members, a); }
template <class T> FUNCTION T i_redux_sync_and(T a, u32 members) { return __reduce_and_sync(members, a); }
template <class T> FUNCTION T i_redux_sync_or(T a, u32 members) { return __reduce_or_sync(members, a); }
template <class T> FUNCTION T i_redux_sync_xor(T a, u32 members) { return __reduce_xor_sync(members, a); }
template <class T> FUNCTION T i_activemask() { return __activemask(); }
template <class T> FUNCTION void i_nanosleep(T time) { __nanosleep(time); }
FUNCTION void i_trap() { __trap(); }
FUNCTION void i_brkpt() { __trap(); }
#define COPY(BYTES)                                                                                   \
    template <int operand_2, WHEN(operand_2 == BYTES)> FUNCTION void i_cp_async_ca(u8 *to, const u8 *from) { __async_copy_##BYTES(to, from, BYTES); } \
    template <int operand_2, WHEN(operand_2 == BYTES)> FUNCTION void i_cp_async_ca(u8 *to, const u8 *from, u32 used) { __async_copy_##BYTES(to, from, used); }
COPY(4) COPY(8) COPY(16)
template <int operand_2, WHEN(operand_2 == 16)> FUNCTION void i_cp_async_cg(u8 *to, const u8 *from) { __async_copy_16(to, from, 16); }
template <int operand_2, WHEN(operand_2 == 16)> FUNCTION void i_cp_async_cg(u8 *to, const u8 *from, u32 used) { __async_copy_16(to, from, used); }
FUNCTION void i_cp_async_commit_group() { __async_commit(); }
template <int operand_0, WHEN(operand_0 >= 0)> FUNCTION void i_cp_async_wait_group() { __async_wait(operand_0); }
FUNCTION void i_cp_async_wait_all() {
    __async_commit();
    __async_wait(0);
}

// Special registers. Blocks are dealt out to the 132 multiprocessors of an H200 in turn, and each is a cluster of its own: kernels with
// clusters are not supported.
FUNCTION u32 register_laneid() { return __laneid(); }
FUNCTION u32 register_warpid() {
    return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32u;
}
FUNCTION u32 register_clock() { return (u32)clock64(); }
FUNCTION s64 register_clock64() { return clock64(); }
// One nanosecond to the cycle.
FUNCTION u64 register_globaltimer() { return (u64)clock64(); }
FUNCTION u32 register_globaltimer_lo() { return (u32)clock64(); }
FUNCTION u32 register_globaltimer_hi() { return (u32)(clock64() >> 32); }
FUNCTION u32 register_lanemask_eq() { return 1u << __laneid(); }
FUNCTION u32 register_lanemask_lt() { return (1u << __laneid()) - 1u; }
FUNCTION u32 register_lanemask_le() { return (2u << __laneid()) - 1u; }
FUNCTION u32 register_lanemask_ge() { return 0xffffffffu << __laneid(); }
FUNCTION u32 register_lanemask_gt() { return 0xfffffffeu << __laneid(); }
#define AXES(NAME, VARIABLE)                                                                          \
    FUNCTION u32 register_##NAME##_x() { return VARIABLE.x; }                                         \
    FUNCTION u32 register_##NAME##_y() { return VARIABLE.y; }                                         \
    FUNCTION u32 register_##NAME##_z() { return VARIABLE.z; }
AXES(tid, threadIdx) AXES(ntid, blockDim) AXES(ctaid, blockIdx) AXES(nctaid, gridDim)
AXES(clusterid, blockIdx) AXES(nclusterid, gridDim) AXES(cluster_ctaid, uint3()) AXES(cluster_nctaid, dim3())
FUNCTION u32 register_cluster_ctarank() { return 0u; }
FUNCTION u32 register_cluster_nctarank() { return 1u; }
FUNCTION u32 register_nsmid() { return 132u; }
FUNCTION u32 register_smid() {
    return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) % register_nsmid();
}

}
