// Asynchronous copies from global to shared memory.
#include <cuda_pipeline.h>
__global__ void staged(float *out, const float *in) {
    __shared__ float4 s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &reinterpret_cast<const float4 *>(in)[t], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[127 - t].x;
}
