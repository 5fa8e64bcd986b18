// A shuffle does not order memory.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    out[t] = __shfl_sync(0xffffffffu, 1, 0);
    out[t] += s[t ^ 1];
}
