// A plain store and a volatile load.
// launch: <<<2, 1>>>
// expect: race (P4)
__global__ void k(int *g, int *out) {
    if (blockIdx.x == 0) g[0] = 1;
    else out[0] = *(volatile int *)g;
}
