// Two volatile writes, each after a fence, of a word that no thread reads: that is no flag.
// launch: <<<2, 1>>>
// expect: race (P5)
__global__ void k(volatile int *f) {
    __threadfence();
    *f = blockIdx.x;
}
