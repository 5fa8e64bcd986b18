// The fence before a volatile flag must be the last thing before it but for reads.
// launch: <<<2, 1>>>
// expect: race (P1, P5)
__global__ void k(int *g, volatile int *f, int *out) {
    if (blockIdx.x == 0) {
        __threadfence();
        g[0] = 1;
        *f = 1;
    }
    if (blockIdx.x == 1) {
        while (!*f) {}
        __threadfence();
        out[0] = g[0];
    }
}
