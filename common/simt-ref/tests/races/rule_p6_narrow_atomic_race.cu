// A volatile read of what an atomic of another block changes at the scope of its block.
// launch: <<<2, 1>>>
// expect: race (P6)
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        atomicAdd_block(f, 1);
    }
    if (blockIdx.x == 1) {
        out[0] = *(volatile int *)f;
    }
}
