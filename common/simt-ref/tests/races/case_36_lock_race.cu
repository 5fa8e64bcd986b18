// A lock without a fence after it is taken.
// launch: <<<2, 1>>>
// expect: race (P1)
__global__ void k(int *x, int *lock) {
    while (atomicCAS(lock, 0, 1)) {}
    x[0]++;
    __threadfence();
    atomicExch(lock, 0);
}
