// Volatile stores of two blocks.
// launch: <<<2, 1>>>
// expect: race (P5)
__global__ void k(int *g, int *out) {
    *(volatile int *)g = blockIdx.x;
}
