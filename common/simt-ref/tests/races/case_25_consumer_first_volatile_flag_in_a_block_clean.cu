// The consumer comes first: the same between two warps.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(int *g, volatile int *f, int *out) {
    if (threadIdx.x == 0) {
        while (!*f) {}
        __threadfence();
        out[0] = g[0];
    }
    if (threadIdx.x == 32) {
        g[0] = 1;
        __threadfence();
        *f = 1;
    }
}
