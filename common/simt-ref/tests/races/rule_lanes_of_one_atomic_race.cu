// Lanes of one atomic instruction do not see what the others release, as their order is undefined.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __threadfence_block();
    int n = atomicAdd(g, 1);
    __threadfence_block();
    if (n == 31) out[0] = s[t ^ 31];
}
