// Cooperative groups: blocks, tiles, reductions by shuffles.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void groups(float *out, const float *in, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    float s = 0;
    for (int i = block.thread_rank(); i < n; i += block.size()) s += in[i];
    for (int d = warp.size() / 2; d > 0; d /= 2) s += warp.shfl_down(s, d);
    block.sync();
    if (warp.thread_rank() == 0) atomicAdd(out, s);
}
