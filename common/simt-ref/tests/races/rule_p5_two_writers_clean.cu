// Two writers of a volatile flag, each after a fence, and a thread that polls it; and one that no thread reads, written with one value.
// launch: <<<3, 1>>>
// expect: clean
__global__ void k(volatile int *f, volatile int *done) {
    if (blockIdx.x < 2) {
        __threadfence();
        *f = blockIdx.x + 1;
        __threadfence();
        *done = 1;
    } else {
        while (*f == 0) {}
        __threadfence();
    }
}
