// Blocks of a cluster, a level between the block and the grid.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    out[blockIdx.x] = cluster.block_rank();
    cluster.sync();
}
