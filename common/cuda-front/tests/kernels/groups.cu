// Cooperative groups of a block and of a warp's tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void tiles(const int *in, int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int v = in[block.thread_rank()];
    int sum = v;
    for (int d = tile.size() / 2; d > 0; d /= 2) sum += tile.shfl_down(sum, d);
    sum = tile.shfl(sum, 0);
    int most = cg::reduce(warp, v, cg::greater<int>());
    block.sync();
    tile.sync();
    cg::sync(block);
    out[4 * block.thread_rank()] = sum;
    out[4 * block.thread_rank() + 1] = most;
    out[4 * block.thread_rank() + 2] = tile.ballot(v > 3) * 100 + tile.thread_rank() * 10 + tile.meta_group_rank();
    out[4 * block.thread_rank() + 3] = warp.any(v == 9) + 2 * tile.all(v >= 0) + block.size() * 10;
}
