// Copies in a pipeline of one thread.
#include <cuda/pipeline>
__global__ void staged(float *out, const float *in) {
    __shared__ float s[128];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(float), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    out[threadIdx.x] = s[127 - threadIdx.x];
    pipe.consumer_release();
}
