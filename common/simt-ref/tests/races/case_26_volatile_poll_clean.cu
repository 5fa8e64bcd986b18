// The same, polled by a volatile load.
// launch: <<<2, 1>>>
// expect: clean
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        g[0] = 1;
        __threadfence();
        atomicExch(f, 1);
    }
    if (blockIdx.x == 1) {
        while (!*(volatile int *)f) {}
        __threadfence();
        out[0] = g[0];
    }
}
