// Atomics of two blocks at the scope of a block.
// launch: <<<2, 64>>>
// expect: race (P7)
__global__ void k(int *g, int *out) {
    atomicAdd_block(g, 1);
}
