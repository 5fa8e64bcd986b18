// The last warp of a reduction on volatile memory, as if lanes ran in step.
// launch: <<<1, 32>>>
// expect: race (P5)
__global__ void k(int *g, int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    s[t + 32] = g[t + 32];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) s[t] = s[t] + s[t + half];
    if (t == 0) out[0] = s[0];
}
