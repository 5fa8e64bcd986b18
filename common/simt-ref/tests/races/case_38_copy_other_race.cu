// It is read by another thread, which has not waited for it.
// launch: <<<1, 64>>>
// expect: race (P11)
#include <cuda_pipeline.h>
__global__ void k(int *g, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) {
        __pipeline_memcpy_async(s, g, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    if (t == 32) out[0] = s[0];
}
