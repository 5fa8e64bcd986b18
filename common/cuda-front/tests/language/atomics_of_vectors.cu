// EXPECT: 3 5 11 13 1 4 32 512 15872 15360 31744 16256 49152 16512 32767 7 7
// Sums of vectors and of half precision: each element by itself. Bits of the numbers, and what was there before.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ int bits(__half h) { return __half_as_ushort(h); }
__device__ int bits(__nv_bfloat16 b) { return __bfloat16_as_ushort(b); }
__device__ float4 v[2];
__global__ void k(int *p) {
    __shared__ __half h[4];
    __shared__ __nv_bfloat16 b[4];
    __shared__ unsigned short s[2];
    int i = 0;
    v[0] = v[1] = make_float4(1, 2, 5, 6);
    float2 *w = (float2 *)&v[1];
    float4 was = atomicAdd(&v[0], make_float4(2, 3, 6, 7));
    p[i++] = v[0].x; p[i++] = v[0].y; p[i++] = v[0].z; p[i++] = v[0].w; p[i++] = was.x;
    float2 now = atomicAdd(w, make_float2(3, 4));
    p[i++] = w->x; p[i++] = now.x * 10 + w->y * 3 + now.y * 2;
    for (int j = 0; j < 4; j++) { h[j] = __ushort_as_half(512); b[j] = __ushort_as_bfloat16(0); }
    __half old = atomicAdd(&h[1], __float2half(1.5f));
    p[i++] = bits(old); p[i++] = bits(h[1]);
    atomicAdd(&h[0], __ushort_as_half(512)); atomicAdd(&h[0], __float2half(1.0f));
    p[i++] = bits(h[0]);
    __half2 *h2 = (__half2 *)&h[2];
    atomicAdd(h2, __floats2half2_rn(65504.0f, 1.0f)); atomicAdd(h2, __floats2half2_rn(65504.0f, 1.0f));
    p[i++] = bits(h2->x);
    atomicAdd(&b[3], __float2bfloat16(1.0f));
    p[i++] = bits(b[3]);
    __nv_bfloat162 *b2 = (__nv_bfloat162 *)&b[0];
    atomicAdd(b2, __floats2bfloat162_rn(-2.0f, 3.0f)); __nv_bfloat162 before = atomicAdd(b2, __floats2bfloat162_rn(0.001f, 1.0f));
    p[i++] = bits(before.x); p[i++] = bits(b2->y);
    atomicAdd(&h[0], __ushort_as_half(0x7e00));
    p[i++] = bits(h[0]);
    s[0] = 7; s[1] = 7;
    p[i++] = atomicCAS(&s[1], (unsigned short)7, (unsigned short)9);
    p[i++] = s[0];
}
