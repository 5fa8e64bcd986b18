// The same without the barrier.
// launch: cooperative <<<2, 1>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    int b = blockIdx.x;
    g[b] = b;
    out[b] = g[1 - b];
}
