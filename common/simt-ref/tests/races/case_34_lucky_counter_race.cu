// A counter that happens to order each block after the one before.
// launch: <<<4, 1>>>
// expect: clean
// expect descending: race (P1)
__global__ void k(int *p, int *count, int *out) {
    int b = blockIdx.x;
    p[b] = b;
    __threadfence();
    int n = atomicAdd(count, 1);
    __threadfence();
    if (b > 0) out[b] = p[b - 1] + n;
}
