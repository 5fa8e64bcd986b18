// A byte of a word that another thread writes.
// launch: <<<1, 64>>>
// expect: race (P8)
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    if (t == 0) g[0] = 1;
    if (t == 32) out[0] = ((char *)g)[2];
}
