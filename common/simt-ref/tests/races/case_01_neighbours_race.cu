// Lanes of a warp read what their neighbours write, with nothing between.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    out[t] = s[t ^ 1];
}
