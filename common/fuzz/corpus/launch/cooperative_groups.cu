// launch: grid 2 1 1 block 64 1 1 shared 0 n 64 cooperative
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *out, int n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = grid.thread_rank();
    out[i] = tile.shfl(i, 3);
    grid.sync();
    int other = out[(i + n) % grid.size()];
    grid.sync();
    out[i] = other + tile.size();
}
