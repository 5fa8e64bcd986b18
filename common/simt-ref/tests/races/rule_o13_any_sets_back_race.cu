// A block that is not the last one to count has not observed the counts of those that follow.
// launch: <<<4, 1>>>
// expect: race (P3), note (P2)
__global__ void k(int *p, int *count, int *out) {
    if (atomicAdd(count, 1) >= 1) *count = 0;
}
