// A fence releases for a flag that is written after a barrier of the grid, too.
// launch: cooperative <<<2, 1>>>
// expect: clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *g, volatile int *f, int *out) {
    int b = blockIdx.x;
    if (b == 0) __threadfence();
    cg::this_grid().sync();
    if (b == 0) *f = 1;
    if (b == 1) {
        while (!*f) {}
        __threadfence();
        out[0] = g[0];
    }
}
