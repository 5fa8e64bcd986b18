// A synchronization word that another block reads by atomics at the scope of its block.
// launch: <<<2, 1>>>
// expect: race (P5)
__global__ void k(int *g, volatile int *f, int *out) {
    if (blockIdx.x == 0) {
        __threadfence();
        *f = 1;
    }
    if (blockIdx.x == 1) {
        while (!atomicAdd_block((int *)f, 0)) {}
        __threadfence();
        out[0] = 1;
    }
}
