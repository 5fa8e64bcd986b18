// A fence releases for a flag that is written after a barrier, too.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(int *g, volatile int *f, int *out) {
    int t = threadIdx.x;
    if (t == 0) {
        g[0] = 1;
        __threadfence();
    }
    __syncthreads();
    if (t == 0) *f = 1;
    if (t == 32) {
        while (!*f) {}
        __threadfence();
        out[0] = g[0];
    }
}
