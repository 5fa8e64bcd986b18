// A lock that is taken by an exchange, without a fence.
// launch: <<<2, 1>>>
// expect: note (O9)
__global__ void k(int *x, int *lock) {
    while (atomicExch(lock, 1)) {}
    x[0]++;
    __threadfence();
    atomicExch(lock, 0);
}
