// The barrier of a tile does not order the lanes of another tile.
// launch: <<<1, 32>>>
// expect: race (P1)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    s[t] = t;
    tile.sync();
    if (t == 16) out[0] = s[15];
}
