// A barrier of the whole grid, which needs a cooperative launch.
#include <cooperative_groups.h>

__global__ void twice(float *a, const float *b) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned long long i = grid.thread_rank();
    a[i] = 2.0f * b[i];
    grid.sync();
    a[i] += a[(i + 1) % grid.size()];
}
