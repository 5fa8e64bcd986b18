// Without the consumer's fence.
// launch: <<<2, 1>>>
// expect: note (O9)
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        g[0] = 1;
        __threadfence();
        atomicExch(f, 1);
    }
    if (blockIdx.x == 1) {
        while (!atomicAdd(f, 0)) {}
        out[0] = g[0];
    }
}
