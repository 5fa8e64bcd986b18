// Reduction of a tile by the library.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void reduced(int *out, const int *in) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int v = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = v;
}
