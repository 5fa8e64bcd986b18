// Two locks for one word.
// launch: <<<2, 1>>>
// expect: race (P1)
__global__ void k(int *x, int *lock) {
    while (atomicCAS(lock + blockIdx.x, 0, 1)) {}
    __threadfence();
    x[0]++;
    __threadfence();
    atomicExch(lock + blockIdx.x, 0);
}
