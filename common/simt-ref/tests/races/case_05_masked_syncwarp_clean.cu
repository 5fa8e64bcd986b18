// A barrier of some lanes orders those.
// launch: <<<1, 32>>>
// expect: clean
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(t < 8 ? 0xffu : ~0xffu);
    if (t == 0) out[0] = s[1];
}
