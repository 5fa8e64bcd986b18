// A volatile flag with fences on both sides.
// launch: <<<2, 1>>>
// expect: clean
__global__ void k(int *g, volatile int *f, int *out) {
    if (blockIdx.x == 0) {
        g[0] = 1;
        __threadfence();
        *f = 1;
    }
    if (blockIdx.x == 1) {
        while (!*f) {}
        __threadfence();
        out[0] = g[0];
    }
}
