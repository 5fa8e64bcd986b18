// Loads and stores of halves and bfloats with a word for the cache.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void k(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2) {
    __stcs(h, __ldcs(h + 1));
    __stcg(h2, __ldcg(h2 + 1));
    __stwb(b, __ldca(b + 1));
    __stwt(b2, __ldlu(b2 + 1));
    h[2] = __ldcv(h);
    h2[2] = __ldg(h2);
    b2[2] = __ldg(b2);
}
