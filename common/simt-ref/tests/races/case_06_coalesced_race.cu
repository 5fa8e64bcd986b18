// The barrier of the lanes that met does not order the others.
// launch: <<<1, 32>>>
// expect: race (P1)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 8) {
        cg::coalesced_group met = cg::coalesced_threads();
        met.sync();
        if (t == 0) out[0] = s[9];
    }
}
