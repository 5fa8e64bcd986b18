// What one thread has observed comes before what another does that waits for it.
// launch: <<<3, 1>>>
// expect: clean
// expect descending: clean
__global__ void k(int *count, int *flag, int *out) {
    if (blockIdx.x < 2) {
        if (atomicAdd(count, 1) == 1) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        *count = 0;
    }
}
