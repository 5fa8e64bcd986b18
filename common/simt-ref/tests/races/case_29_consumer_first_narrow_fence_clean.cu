// The consumer comes first: the same with both in one block.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(int *g, int *f, int *out) {
    if (threadIdx.x == 0) {
        while (!atomicAdd(f, 0)) {}
        __threadfence();
        out[0] = g[0];
    }
    if (threadIdx.x == 32) {
        g[0] = 1;
        __threadfence_block();
        atomicExch(f, 1);
    }
}
