// The consumer comes first: the same, polled by a volatile load.
// launch: <<<2, 1>>>
// expect: clean
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        while (!*(volatile int *)f) {}
        __threadfence();
        out[0] = g[0];
    }
    if (blockIdx.x == 1) {
        g[0] = 1;
        __threadfence();
        atomicExch(f, 1);
    }
}
