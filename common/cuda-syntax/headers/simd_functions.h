// Two 16-bit or four 8-bit integers in a word: CUDA's SIMD functions ("SIMD Intrinsics" of the CUDA Math API). Read after a
// file that names one of them, as device_functions.h is.
#pragma once
namespace __composed {

// One result for each part: `x` and `y` are the parts of both words as `int`.
#define __SIMD(NAME, T, BITS, EXPRESSION)                                                             \
    __host__ __device__ inline unsigned int NAME(unsigned int a, unsigned int b) {                    \
        unsigned int result = 0u;                                                                     \
        for (int i = 0; i < 32; i += BITS) {                                                          \
            int x = (T)(a >> i), y = (T)(b >> i);                                                     \
            result |= ((unsigned int)(EXPRESSION) & (0xffffffffu >> (32 - BITS))) << i;               \
        }                                                                                             \
        return result;                                                                                \
    }
#define __SIMD_ONE(NAME, T, BITS, EXPRESSION)                                                         \
    __host__ __device__ inline unsigned int NAME(unsigned int a) {                                    \
        unsigned int result = 0u;                                                                     \
        for (int i = 0; i < 32; i += BITS) {                                                          \
            int x = (T)(a >> i);                                                                      \
            result |= ((unsigned int)(EXPRESSION) & (0xffffffffu >> (32 - BITS))) << i;               \
        }                                                                                             \
        return result;                                                                                \
    }
#define __SIMD_SUM(NAME, T, BITS)                                                                     \
    __host__ __device__ inline unsigned int NAME(unsigned int a, unsigned int b) {                    \
        unsigned int sum = 0u;                                                                        \
        for (int i = 0; i < 32; i += BITS) {                                                          \
            int x = (T)(a >> i), y = (T)(b >> i);                                                     \
            sum += (unsigned int)(x < y ? y - x : x - y);                                             \
        }                                                                                             \
        return sum;                                                                                   \
    }
#define __CLAMPED(V, LOW, HIGH) ((V) < (LOW) ? (LOW) : (V) > (HIGH) ? (HIGH) : (V))
#define __COMPARED(N, BITS, T, KIND, OPERATOR)                                                        \
    __SIMD(__vcmp##KIND##N, T, BITS, x OPERATOR y ? -1 : 0)                                           \
    __SIMD(__vset##KIND##N, T, BITS, x OPERATOR y ? 1 : 0)
// An average of signed numbers rounds halves away from zero.
#define __SIMD_ALL(N, BITS, S, U, LOW, HIGH)                                                          \
    __SIMD(__vadd##N, S, BITS, x + y)                                                                 \
    __SIMD(__vaddss##N, S, BITS, __CLAMPED(x + y, LOW, HIGH))                                         \
    __SIMD(__vaddus##N, U, BITS, __CLAMPED(x + y, 0, HIGH - LOW))                                     \
    __SIMD(__vsub##N, S, BITS, x - y)                                                                 \
    __SIMD(__vsubss##N, S, BITS, __CLAMPED(x - y, LOW, HIGH))                                         \
    __SIMD(__vsubus##N, U, BITS, __CLAMPED(x - y, 0, HIGH - LOW))                                     \
    __SIMD(__vavgs##N, S, BITS, (x + y + (x + y < 0 ? 0 : 1)) >> 1)                                   \
    __SIMD(__vavgu##N, U, BITS, (x + y + 1) >> 1)                                                     \
    __SIMD(__vhaddu##N, U, BITS, (x + y) >> 1)                                                        \
    __SIMD(__vmaxs##N, S, BITS, x < y ? y : x)                                                        \
    __SIMD(__vmaxu##N, U, BITS, x < y ? y : x)                                                        \
    __SIMD(__vmins##N, S, BITS, y < x ? y : x)                                                        \
    __SIMD(__vminu##N, U, BITS, y < x ? y : x)                                                        \
    __SIMD(__vabsdiffs##N, S, BITS, x < y ? y - x : x - y)                                            \
    __SIMD(__vabsdiffu##N, U, BITS, x < y ? y - x : x - y)                                            \
    __SIMD_ONE(__vabs##N, S, BITS, x < 0 ? -x : x)                                                    \
    __SIMD_ONE(__vabsss##N, S, BITS, __CLAMPED(x < 0 ? -x : x, 0, HIGH))                              \
    __SIMD_ONE(__vneg##N, S, BITS, -x)                                                                \
    __SIMD_ONE(__vnegss##N, S, BITS, __CLAMPED(-x, LOW, HIGH))                                        \
    __SIMD_SUM(__vsads##N, S, BITS)                                                                   \
    __SIMD_SUM(__vsadu##N, U, BITS)                                                                   \
    __COMPARED(N, BITS, U, eq, ==)                                                                    \
    __COMPARED(N, BITS, U, ne, !=)                                                                    \
    __COMPARED(N, BITS, S, lts, <)                                                                    \
    __COMPARED(N, BITS, S, les, <=)                                                                   \
    __COMPARED(N, BITS, S, gts, >)                                                                    \
    __COMPARED(N, BITS, S, ges, >=)                                                                   \
    __COMPARED(N, BITS, U, ltu, <)                                                                    \
    __COMPARED(N, BITS, U, leu, <=)                                                                   \
    __COMPARED(N, BITS, U, gtu, >)                                                                    \
    __COMPARED(N, BITS, U, geu, >=)
__SIMD_ALL(2, 16, short, unsigned short, -32768, 32767)
__SIMD_ALL(4, 8, signed char, unsigned char, -128, 127)

// Minima and maxima of three, of a sum and a number, not below zero (`_relu`), and with the truth of which won.
__SIMD(__vmax_s16x2, short, 16, x < y ? y : x)
__SIMD(__vmin_s16x2, short, 16, y < x ? y : x)
__SIMD(__vmax_u16x2, unsigned short, 16, x < y ? y : x)
__SIMD(__vmin_u16x2, unsigned short, 16, y < x ? y : x)
#define __PICKED(PICK)                                                                                \
    __host__ __device__ inline int __vi##PICK##_s32_relu(int a, int b) { return max(PICK(a, b), 0); } \
    __host__ __device__ inline unsigned int __vi##PICK##_s16x2_relu(unsigned int a, unsigned int b) { \
        return __vmax_s16x2(__v##PICK##_s16x2(a, b), 0u);                                             \
    }                                                                                                 \
    __host__ __device__ inline int __vi##PICK##3_s32(int a, int b, int c) { return PICK(PICK(a, b), c); } \
    __host__ __device__ inline unsigned int __vi##PICK##3_u32(unsigned int a, unsigned int b, unsigned int c) { \
        return PICK(PICK(a, b), c);                                                                   \
    }                                                                                                 \
    __host__ __device__ inline int __vi##PICK##3_s32_relu(int a, int b, int c) { return max(PICK(PICK(a, b), c), 0); } \
    __host__ __device__ inline unsigned int __vi##PICK##3_s16x2(unsigned int a, unsigned int b, unsigned int c) { \
        return __v##PICK##_s16x2(__v##PICK##_s16x2(a, b), c);                                         \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __vi##PICK##3_u16x2(unsigned int a, unsigned int b, unsigned int c) { \
        return __v##PICK##_u16x2(__v##PICK##_u16x2(a, b), c);                                         \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __vi##PICK##3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) { \
        return __vmax_s16x2(__vi##PICK##3_s16x2(a, b, c), 0u);                                        \
    }                                                                                                 \
    __host__ __device__ inline int __viadd##PICK##_s32(int a, int b, int c) {                         \
        return PICK((int)((unsigned int)a + (unsigned int)b), c);                                     \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __viadd##PICK##_u32(unsigned int a, unsigned int b, unsigned int c) { \
        return PICK(a + b, c);                                                                        \
    }                                                                                                 \
    __host__ __device__ inline int __viadd##PICK##_s32_relu(int a, int b, int c) {                    \
        return max(__viadd##PICK##_s32(a, b, c), 0);                                                  \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __viadd##PICK##_s16x2(unsigned int a, unsigned int b, unsigned int c) { \
        return __v##PICK##_s16x2(__vadd2(a, b), c);                                                   \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __viadd##PICK##_u16x2(unsigned int a, unsigned int b, unsigned int c) { \
        return __v##PICK##_u16x2(__vadd2(a, b), c);                                                   \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __viadd##PICK##_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) { \
        return __vmax_s16x2(__viadd##PICK##_s16x2(a, b, c), 0u);                                      \
    }                                                                                                 \
    __host__ __device__ inline int __vib##PICK##_s32(int a, int b, bool *first) {                     \
        int v = PICK(a, b);                                                                           \
        *first = v == a;                                                                              \
        return v;                                                                                     \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __vib##PICK##_u32(unsigned int a, unsigned int b, bool *first) { \
        unsigned int v = PICK(a, b);                                                                  \
        *first = v == a;                                                                              \
        return v;                                                                                     \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __vib##PICK##_s16x2(unsigned int a, unsigned int b, bool *high, bool *low) { \
        unsigned int v = __v##PICK##_s16x2(a, b);                                                     \
        *high = v >> 16 == a >> 16;                                                                   \
        *low = (v & 0xffffu) == (a & 0xffffu);                                                        \
        return v;                                                                                     \
    }                                                                                                 \
    __host__ __device__ inline unsigned int __vib##PICK##_u16x2(unsigned int a, unsigned int b, bool *high, bool *low) { \
        unsigned int v = __v##PICK##_u16x2(a, b);                                                     \
        *high = v >> 16 == a >> 16;                                                                   \
        *low = (v & 0xffffu) == (a & 0xffffu);                                                        \
        return v;                                                                                     \
    }
__PICKED(max)
__PICKED(min)

}
