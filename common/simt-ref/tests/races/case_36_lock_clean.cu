// A lock with a fence after it is taken and one before it is released.
// launch: <<<2, 1>>>
// expect: clean
__global__ void k(int *x, int *lock) {
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    x[0]++;
    __threadfence();
    atomicExch(lock, 0);
}
