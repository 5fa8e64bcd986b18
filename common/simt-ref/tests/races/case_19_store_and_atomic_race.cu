// A plain store, and an atomic of another thread; that the writer adds atomically afterwards orders nothing.
// launch: <<<1, 64>>>
// expect: race (P3)
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    if (t == 0) {
        g[0] = 1;
        atomicAdd(g, 1);
    }
    if (t == 32) atomicAdd(g, 1);
}
