// The same with barriers of the warp.
// launch: <<<1, 32>>>
// expect: clean
__global__ void k(int *g, int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    s[t + 32] = g[t + 32];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        int x = s[t] + s[t + half];
        __syncwarp();
        s[t] = x;
        __syncwarp();
    }
    if (t == 0) out[0] = s[0];
}
