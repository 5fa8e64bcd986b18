// Atomics of 64 bits and of their lower half.
// launch: <<<1, 64>>>
// expect: note (P8)
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    if (t == 0) atomicAdd((unsigned long long *)g, 1ull);
    if (t == 32) atomicAdd(g, 1);
}
