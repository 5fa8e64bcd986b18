// Atomics of two blocks.
// launch: <<<2, 64>>>
// expect: clean
__global__ void k(int *g, int *out) {
    atomicAdd(g, 1);
}
