// A thread that does not use what its atomic has read has observed nothing.
// launch: <<<2, 1>>>
// expect: race (P3)
__global__ void k(int *p, int *count, int *out) {
    atomicAdd(count, 1);
    if (blockIdx.x == 1) *count = 0;
}
