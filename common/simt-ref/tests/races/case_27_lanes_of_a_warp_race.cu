// A flag between two lanes of a warp, of which the first waits, and no fence of the one that raises it.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *g, int *f, int *out) {
    if (threadIdx.x == 0) {
        while (!atomicAdd(f, 0)) {}
        __threadfence();
        out[0] = g[0];
    }
    if (threadIdx.x == 1) {
        g[0] = 1;
        atomicExch(f, 1);
    }
}
