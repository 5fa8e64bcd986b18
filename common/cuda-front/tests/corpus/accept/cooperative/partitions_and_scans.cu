// Groups by label, by truth and by meeting, with reductions and prefix sums over them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

struct Pair { float key; int index; };

__device__ int rank_of(const cg::thread_group &group) { return (int)group.thread_rank(); }

__global__ void partitions(int *out, const int *in) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    cg::thread_group four = cg::tiled_partition(block, 4);
    int v = in[block.thread_rank()];
    auto same = cg::labeled_partition(tile, v % 3);
    auto odd = cg::binary_partition(tile, v % 2 == 1);
    int sum = cg::reduce(same, v, cg::plus<int>()) + cg::exclusive_scan(tile, v) + cg::inclusive_scan(odd, v);
    if (v > 10) {
        cg::coalesced_group met = cg::coalesced_threads();
        sum += met.shfl(v, 0) + (int)met.size() + met.any(v > 20) + (int)met.ballot(v > 30);
    }
    Pair pair = {1.0f, v};
    pair = tile.shfl_down(pair, 1);
    four.sync();
    out[cg::this_grid().thread_rank()] = sum + rank_of(four) + pair.index + (int)tile.match_any(v) + (int)tile.meta_group_size();
}
