// Complex numbers as pairs: cuFloatComplex and cuDoubleComplex. Quotients and absolute values are scaled first, so that
// nothing overflows before the result does.
#pragma once
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __CU_COMPLEX(C, R, SUFFIX, ROOT, LARGEST)                                                              \
    __host__ __device__ inline R cuCreal##SUFFIX(C z) { return z.x; }                                          \
    __host__ __device__ inline R cuCimag##SUFFIX(C z) { return z.y; }                                          \
    __host__ __device__ inline C __cu_pair(R x, R y) {                                                         \
        C z;                                                                                                   \
        z.x = x;                                                                                               \
        z.y = y;                                                                                               \
        return z;                                                                                              \
    }                                                                                                          \
    __host__ __device__ inline C cuConj##SUFFIX(C z) { return __cu_pair(z.x, -z.y); }                          \
    __host__ __device__ inline C cuCadd##SUFFIX(C a, C b) { return __cu_pair(a.x + b.x, a.y + b.y); }          \
    __host__ __device__ inline C cuCsub##SUFFIX(C a, C b) { return __cu_pair(a.x - b.x, a.y - b.y); }          \
    __host__ __device__ inline C cuCmul##SUFFIX(C a, C b) {                                                    \
        return __cu_pair(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                        \
    }                                                                                                          \
    __host__ __device__ inline C cuCdiv##SUFFIX(C a, C b) {                                                    \
        R scale = (R)1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                                    \
        R ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                              \
        R square = (R)1 / (bx * bx + by * by);                                                                 \
        return __cu_pair((ax * bx + ay * by) * square, (ay * bx - ax * by) * square);                          \
    }                                                                                                          \
    __host__ __device__ inline C cuCfma##SUFFIX(C a, C b, C c) {                                               \
        R x = a.x * b.x + c.x, y = b.x * a.y + c.y;                                                            \
        return __cu_pair(x - a.y * b.y, a.x * b.y + y);                                                        \
    }                                                                                                          \
    __host__ __device__ inline R cuCabs##SUFFIX(C z) {                                                         \
        R a = z.x < 0 ? -z.x : z.x, b = z.y < 0 ? -z.y : z.y;                                                  \
        R v = a > b ? a : b, w = a > b ? b : a;                                                                \
        R t = w / v;                                                                                           \
        t = v * ROOT((R)1 + t * t);                                                                            \
        return v == 0 || v > LARGEST || w > LARGEST ? v + w : t;                                               \
    }
__CU_COMPLEX(cuFloatComplex, float, f, sqrtf, 3.402823466e38f)
__CU_COMPLEX(cuDoubleComplex, double, , sqrt, 1.79769313486231570e+308)
#undef __CU_COMPLEX

__host__ __device__ inline cuFloatComplex make_cuFloatComplex(float x, float y) { return __cu_pair(x, y); }
__host__ __device__ inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return __cu_pair(x, y); }
__host__ __device__ inline cuComplex make_cuComplex(float x, float y) { return __cu_pair(x, y); }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return __cu_pair((double)z.x, (double)z.y);
}
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return __cu_pair((float)z.x, (float)z.y);
}
