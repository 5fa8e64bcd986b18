// A copy by a block, and its wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void staged(float *out, const float *in) {
    __shared__ float s[128];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + 128 * blockIdx.x, sizeof(float) * 128);
    cg::wait(block);
    out[128 * blockIdx.x + threadIdx.x] = s[127 - threadIdx.x];
}
