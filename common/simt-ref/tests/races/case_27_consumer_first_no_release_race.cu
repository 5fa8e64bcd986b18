// The consumer comes first: without the producer's fence.
// launch: <<<2, 1>>>
// expect: race (P1)
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        while (!atomicAdd(f, 0)) {}
        __threadfence();
        out[0] = g[0];
    }
    if (blockIdx.x == 1) {
        g[0] = 1;
        atomicExch(f, 1);
    }
}
