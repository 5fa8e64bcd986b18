// Two blocks write one value, and the reader is ordered after one of them.
// launch: <<<3, 1>>>
// expect: race (P1), note (P2)
__global__ void k(int *g, int *f, int *out) {
    int b = blockIdx.x;
    if (b < 2) {
        g[0] = 1;
        __threadfence();
        if (b == 1) atomicExch(f, 1);
    } else {
        while (!atomicAdd(f, 0)) {}
        __threadfence();
        out[0] = g[0];
    }
}
