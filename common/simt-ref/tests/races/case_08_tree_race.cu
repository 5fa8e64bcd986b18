// A reduction without the barrier before its first step.
// launch: <<<1, 64>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}
