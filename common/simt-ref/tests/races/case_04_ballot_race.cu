// A vote does not order memory.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    out[t] = (int)__ballot_sync(0xffffffffu, t & 1);
    out[t] += s[t ^ 1];
}
