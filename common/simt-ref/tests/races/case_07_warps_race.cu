// Two warps write different values to one word.
// launch: <<<1, 64>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    if (t % 32 == 0) g[0] = t;
}
