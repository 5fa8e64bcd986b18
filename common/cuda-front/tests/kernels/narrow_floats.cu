// Half precision and bfloat16: storage, arithmetic rounded once an operation, pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Celsius {
    float degrees;
    __host__ __device__ operator float() const { return degrees; }
    __host__ __device__ explicit operator bool() const { return degrees > 0.0f; }
};

__global__ void halves(const half *a, const __half *b, unsigned short *out, int n) {
    __shared__ half tile[32];
    int i = threadIdx.x;
    if (i >= n) return;
    tile[i] = a[i];
    half x = tile[i], y = b[i];
    half sum = x + y;
    sum += __float2half(0.5f);
    out[6 * i] = __half_as_ushort(sum);
    out[6 * i + 1] = __half_as_ushort(__hmul(x, y));
    out[6 * i + 2] = __half_as_ushort(__hfma(x, y, __hneg(x)));
    out[6 * i + 3] = __half_as_ushort(x / y);
    float f = x;
    out[6 * i + 4] = __half_as_ushort(half(f * 3.0f) - half(1));
    out[6 * i + 5] = (x < y) + (float)y > 1.0f ? 1 : 0;
}

__global__ void brains(const __nv_bfloat16 *a, unsigned short *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 x = a[i];
    out[3 * i] = __bfloat16_as_ushort(__hfma(x, x, __float2bfloat16(1e-30f)));
    out[3 * i + 1] = __bfloat16_as_ushort(x * x);
    out[3 * i + 2] = __bfloat16_as_ushort(x - __float2bfloat16(0.3f));
}

__global__ void pairs(const half2 *a, half2 *out, float *wide, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    half2 v = a[i];
    out[i] = __hfma2(v, v, __float2half2_rn(1.0f)) * v;
    float2 w = __half22float2(out[i]);
    Celsius c = {w.x};
    wide[i] = c ? c + w.y : __low2float(v) - 1.0f;
}
