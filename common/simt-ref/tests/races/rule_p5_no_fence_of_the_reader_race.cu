// A volatile flag that is looked at once, without a fence.
// launch: <<<2, 1>>>
// expect: race (P4, P5)
__global__ void k(int *g, volatile int *f, int *out) {
    if (blockIdx.x == 0) {
        __threadfence();
        *f = 1;
        g[0] = 1;
    }
    if (blockIdx.x == 1) {
        out[0] = *f;
        out[1] = *(volatile int *)g;
    }
}
