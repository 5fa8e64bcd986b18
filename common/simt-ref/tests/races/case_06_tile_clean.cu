// The barrier of a tile orders its lanes.
// launch: <<<1, 32>>>
// expect: clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    s[t] = t;
    tile.sync();
    if (t == 0) out[0] = s[15];
}
