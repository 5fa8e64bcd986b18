// __half: conversions, arithmetic, intrinsics.
#include <cuda_fp16.h>
__global__ void halves(__half *out, const __half *in, float a) {
    int i = threadIdx.x;
    half x = in[i];
    half y = __float2half(a);
    out[i] = __hadd(__hmul(x, y), __float2half(1.0f));
    out[i + 1] = x * y + in[i];
    out[i + 2] = __float2half(__half2float(x) * 2.0f);
    if (__hgt(x, y) || x < y) out[i + 3] = hsqrt(x);
}
