// The producer's fence is for its block alone.
// launch: <<<2, 1>>>
// expect: race (P1)
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        g[0] = 1;
        __threadfence_block();
        atomicExch(f, 1);
    }
    if (blockIdx.x == 1) {
        while (!atomicAdd(f, 0)) {}
        __threadfence();
        out[0] = g[0];
    }
}
