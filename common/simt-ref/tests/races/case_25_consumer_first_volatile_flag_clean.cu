// The consumer comes first: a volatile flag with fences on both sides.
// launch: <<<2, 1>>>
// expect: clean
__global__ void k(int *g, volatile int *f, int *out) {
    if (blockIdx.x == 0) {
        while (!*f) {}
        __threadfence();
        out[0] = g[0];
    }
    if (blockIdx.x == 1) {
        g[0] = 1;
        __threadfence();
        *f = 1;
    }
}
