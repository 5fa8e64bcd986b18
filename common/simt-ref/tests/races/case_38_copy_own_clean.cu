// It is read by the thread that has waited for it.
// launch: <<<1, 64>>>
// expect: clean
#include <cuda_pipeline.h>
__global__ void k(int *g, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) {
        __pipeline_memcpy_async(s, g, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        out[0] = s[0];
    }
}
