// The last block to count has observed the counts of all, and may set the counter back.
// launch: <<<4, 32>>>
// launch: <<<3, 1>>>
// expect: clean
__global__ void k(int *p, int *count, int *out) {
    int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    p[b] = b;
    __threadfence();
    if (atomicAdd(count, 1) == gridDim.x - 1) {
        __threadfence();
        for (int i = 0; i < gridDim.x; i++) out[0] += p[i];
        *count = 0;
    }
}
