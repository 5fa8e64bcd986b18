// One warp hands to another at the scope of the block, and that one to another block.
// launch: <<<2, 64>>>
// expect: clean
__global__ void k(int *g, int *f, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t == 0) {
        g[0] = 1;
        __threadfence_block();
        atomicExch_block(f, 1);
    }
    if (blockIdx.x == 0 && t == 32) {
        while (!atomicAdd_block(f, 0)) {}
        __threadfence_block();
        __threadfence();
        atomicExch(f + 1, 1);
    }
    if (blockIdx.x == 1 && t == 0) {
        while (!atomicAdd(f + 1, 0)) {}
        __threadfence();
        out[0] = g[0];
    }
}
