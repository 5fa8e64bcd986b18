// The header of cuBLAS includes those of the halves, so files use these without naming their header.
#include <cublas_v2.h>

#include <type_traits>

constexpr std::bool_constant<true> Yes;

__global__ void k(half *out, __nv_bfloat16 *b) {
    out[0] = __float2half(1.0f);
    b[0] = __float2bfloat16(1.0f);
}
