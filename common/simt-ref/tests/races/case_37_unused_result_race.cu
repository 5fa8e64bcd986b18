// An atomic whose result is not used acquires nothing.
// launch: <<<2, 1>>>
// expect: race (P1)
__global__ void k(int *g, int *f, int *out) {
    if (blockIdx.x == 0) {
        g[0] = 1;
        __threadfence();
        atomicExch(f, 1);
    }
    if (blockIdx.x == 1) {
        atomicAdd(f, 1);
        __threadfence();
        out[0] = g[0];
    }
}
