// A volatile flag between two lanes of a warp, of which the first waits.
// launch: <<<1, 32>>>
// expect: clean
__global__ void k(int *g, volatile int *f, int *out) {
    if (threadIdx.x == 0) {
        while (!*f) {}
        __threadfence();
        out[0] = g[0];
    }
    if (threadIdx.x == 1) {
        g[0] = 1;
        __threadfence();
        *f = 1;
    }
}
