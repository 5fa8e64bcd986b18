// The start of a launch comes after the end of the one before.
// launch: <<<1, 64>>> 0
// launch: <<<1, 64>>> 1
// expect: clean
__global__ void k(int *g, int *out, int phase) {
    int t = threadIdx.x;
    if (phase == 0) g[t] = t;
    else out[t] = g[63 - t];
}
