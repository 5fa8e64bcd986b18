// A plain read beside atomics.
// launch: <<<1, 64>>>
// expect: race (P3)
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    atomicAdd(g, 1);
    if (t == 40) out[0] = g[0];
}
