// An asynchronous copy is read before it is waited for.
// launch: <<<1, 64>>>
// expect: race (P11)
#include <cuda_pipeline.h>
__global__ void k(int *g, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) {
        __pipeline_memcpy_async(s, g, 4);
        __pipeline_commit();
        out[0] = s[0];
    }
}
