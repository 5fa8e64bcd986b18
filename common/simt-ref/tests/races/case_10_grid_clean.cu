// The barrier of the grid orders blocks.
// launch: cooperative <<<2, 1>>>
// expect: clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *g, int *out) {
    int b = blockIdx.x;
    g[b] = b;
    cg::this_grid().sync();
    out[b] = g[1 - b];
}
