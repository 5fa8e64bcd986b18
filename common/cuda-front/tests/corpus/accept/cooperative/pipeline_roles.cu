// A pipeline of a block: some threads copy, the others compute.
#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void staged(float *out, const float *in, int tiles) {
    __shared__ float s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(
        block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int i = 0; i < tiles; i++) {
        if (produces) {
            pipe.producer_acquire();
            for (int j = threadIdx.x; j < 64; j += 32) {
                cuda::memcpy_async(&s[i % 2][j], &in[64 * i + j], sizeof(float), pipe);
            }
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[64 * i + threadIdx.x - 32] = s[i % 2][95 - threadIdx.x];
            pipe.consumer_release();
        }
    }
}
