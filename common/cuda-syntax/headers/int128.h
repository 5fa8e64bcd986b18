// Operators of `__int128` and `unsigned __int128` on pairs of 64 bits, `x` the lower ones. The checker calls them by name; the
// last parameter says whether the left operand has a sign. Read for a file that names one of the types (see `preprocess::composed`).
#pragma once
namespace __composed {

#define __INT128(NAME, ...) __host__ __device__ constexpr inline ulonglong2 __int128_##NAME(__VA_ARGS__)
#define __TEST128(NAME, TRUE)                                                                                  \
    __host__ __device__ constexpr inline bool __int128_##NAME(ulonglong2 a, ulonglong2 b, bool is_signed) {    \
        return TRUE;                                                                                           \
    }

__TEST128(eq, a.x == b.x && a.y == b.y)
__TEST128(ne, a.x != b.x || a.y != b.y)
__TEST128(lt, a.y == b.y ? a.x < b.x : is_signed ? (long long)a.y < (long long)b.y : a.y < b.y)
__TEST128(gt, __int128_lt(b, a, is_signed))
__TEST128(le, !__int128_lt(b, a, is_signed))
__TEST128(ge, !__int128_lt(a, b, is_signed))
__host__ __device__ constexpr inline bool __int128_truth(ulonglong2 a) { return (a.x | a.y) != 0ull; }

__INT128(and, ulonglong2 a, ulonglong2 b, bool) { return ulonglong2{a.x & b.x, a.y & b.y}; }
__INT128(or, ulonglong2 a, ulonglong2 b, bool) { return ulonglong2{a.x | b.x, a.y | b.y}; }
__INT128(xor, ulonglong2 a, ulonglong2 b, bool) { return ulonglong2{a.x ^ b.x, a.y ^ b.y}; }
__INT128(not, ulonglong2 a) { return ulonglong2{~a.x, ~a.y}; }
__INT128(add, ulonglong2 a, ulonglong2 b, bool) {
    return ulonglong2{a.x + b.x, a.y + b.y + (unsigned long long)(a.x + b.x < a.x)};
}
__INT128(sub, ulonglong2 a, ulonglong2 b, bool) {
    return ulonglong2{a.x - b.x, a.y - b.y - (unsigned long long)(a.x < b.x)};
}
__INT128(neg, ulonglong2 a) { return ulonglong2{0ull - a.x, 0ull - a.y - (unsigned long long)(a.x != 0ull)}; }
// By halves of 32 bits, because `__umul64hi` is no constant expression.
__INT128(mul, ulonglong2 a, ulonglong2 b, bool) {
    unsigned long long p = a.x & 0xffffffffull, q = a.x >> 32, r = b.x & 0xffffffffull, s = b.x >> 32;
    unsigned long long t = q * r + (p * r >> 32), u = p * s + (t & 0xffffffffull);
    return ulonglong2{a.x * b.x, q * s + (t >> 32) + (u >> 32) + a.x * b.y + a.y * b.x};
}
__INT128(shl, ulonglong2 a, unsigned int n, bool) {
    n &= 127u;
    if (n == 0u) return a;
    if (n >= 64u) return ulonglong2{0ull, a.x << (n - 64u)};
    return ulonglong2{a.x << n, a.y << n | a.x >> (64u - n)};
}
__INT128(shr, ulonglong2 a, unsigned int n, bool is_signed) {
    n &= 127u;
    if (n == 0u) return a;
    unsigned long long sign = is_signed ? (unsigned long long)((long long)a.y >> 63) : 0ull;
    if (n == 64u) return ulonglong2{a.y, sign};
    if (n > 64u) return ulonglong2{a.y >> (n - 64u) | sign << (128u - n), sign};
    return ulonglong2{a.x >> n | a.y << (64u - n), a.y >> n | sign << (64u - n)};
}

// Long division: bits leave `a` at the top for the remainder, and those of the quotient come in at the bottom.
__INT128(divide, ulonglong2 a, ulonglong2 b, bool wants_rest) {
    if (b.y == 0ull && (a.y == 0ull || b.x == 0ull)) return ulonglong2{wants_rest ? a.x % b.x : a.x / b.x, 0ull};
    ulonglong2 rest{0ull, 0ull};
    for (int i = 0; i < 128; ++i) {
        bool carry = rest.y >> 63 != 0ull;
        rest = ulonglong2{rest.x << 1 | a.y >> 63, rest.y << 1 | rest.x >> 63};
        a = ulonglong2{a.x << 1, a.y << 1 | a.x >> 63};
        if (carry || !__int128_lt(rest, b, false)) {
            rest = __int128_sub(rest, b, false);
            a.x |= 1ull;
        }
    }
    return wants_rest ? rest : a;
}
__INT128(signed_divide, ulonglong2 a, ulonglong2 b, bool is_signed, bool wants_rest) {
    bool a_negative = is_signed && a.y >> 63 != 0ull, b_negative = is_signed && b.y >> 63 != 0ull;
    ulonglong2 q = __int128_divide(a_negative ? __int128_neg(a) : a, b_negative ? __int128_neg(b) : b, wants_rest);
    return a_negative != (b_negative && !wants_rest) ? __int128_neg(q) : q;
}
__INT128(div, ulonglong2 a, ulonglong2 b, bool is_signed) { return __int128_signed_divide(a, b, is_signed, false); }
__INT128(rem, ulonglong2 a, ulonglong2 b, bool is_signed) { return __int128_signed_divide(a, b, is_signed, true); }

__INT128(of, unsigned long long v) { return ulonglong2{v, 0ull}; }
__INT128(of, long long v) { return ulonglong2{(unsigned long long)v, (unsigned long long)(v >> 63)}; }
__INT128(of, double v) {
    double size = v < 0.0 ? -v : v;
    unsigned long long high = (unsigned long long)(size * 5.421010862427522e-20);
    ulonglong2 whole{(unsigned long long)(size - (double)high * 18446744073709551616.0), high};
    return v < 0.0 ? __int128_neg(whole) : whole;
}

// The upper 64 bits from the first one that is set decide, with a bit below them for all others: no type has as many.
#define __FROM128(T)                                                                                           \
    __host__ __device__ constexpr inline T __int128_to_##T(ulonglong2 a, bool is_signed) {                     \
        bool negative = is_signed && a.y >> 63 != 0ull;                                                        \
        if (negative) a = __int128_neg(a);                                                                     \
        T scale = 1;                                                                                           \
        if (a.y != 0ull) {                                                                                     \
            unsigned int n = 0u;                                                                               \
            while (a.y >> n != 0ull && n < 63u) ++n;                                                           \
            if (a.y >> 63 != 0ull) n = 64u;                                                                    \
            bool inexact = n == 64u ? a.x != 0ull : a.x << (64u - n) != 0ull;                                  \
            a.x = (n == 64u ? a.y : a.y << (64u - n) | a.x >> n) | (unsigned long long)inexact;                \
            scale = n == 64u ? (T)18446744073709551616.0 : (T)(1ull << n);                                     \
        }                                                                                                      \
        T size = (T)a.x * scale;                                                                               \
        return negative ? -size : size;                                                                        \
    }
__FROM128(float)
__FROM128(double)
#undef __FROM128
#undef __TEST128
#undef __INT128
}
