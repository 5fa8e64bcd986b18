// It hands on what was released, and nothing of its own thread.
// launch: <<<3, 1>>>
// schedules: ascending
// expect: race (P1)
__global__ void k(int *g, int *f, int *out) {
    int b = blockIdx.x;
    if (b == 0) {
        g[0] = 1;
        __threadfence();
        atomicExch(f, 1);
    } else if (b == 1) {
        g[1] = 1;
        atomicAdd(f, 1);
    } else {
        while (atomicAdd(f, 0) < 2) {}
        __threadfence();
        out[0] = g[1];
    }
}
