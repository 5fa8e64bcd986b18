// launch: grid 1 1 1 block 32 1 1 shared 0 n 9
#include <cuda_fp16.h>
__global__ void k(float *out, int n) {
    __half2 pair = __floats2half2_rn(threadIdx.x * 0.5f, (float)n);
    pair = __hadd2(pair, __float2half2_rn(1.5f));
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mad.lo.s32 %0, %1, %2, %0;" : "+r"(lane) : "r"(n), "r"(3));
    out[threadIdx.x] = __low2float(pair) * __high2float(pair) + lane;
}
