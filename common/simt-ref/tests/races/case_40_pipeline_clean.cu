// A pipeline of two stages of the block.
// launch: <<<1, 64>>>
// expect: clean
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void k(int *g, int *out) {
    __shared__ int s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;
    for (int step = 0; step < 5; ++step) {
        if (step < 4) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[step % 2], g + 64 * step, sizeof(int) * 64, pipe);
            pipe.producer_commit();
        }
        if (step > 0) {
            pipe.consumer_wait();
            sum += s[(step - 1) % 2][63 - t];
            pipe.consumer_release();
        }
    }
    out[t] = sum;
}
