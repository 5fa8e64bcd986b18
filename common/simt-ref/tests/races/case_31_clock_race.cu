// Fences and time, without a flag.
// launch: <<<2, 1>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    if (blockIdx.x == 0) {
        g[0] = 1;
        __threadfence();
    }
    if (blockIdx.x == 1) {
        long long start = clock64();
        while (clock64() - start < 100) {}
        __threadfence();
        out[0] = g[0];
    }
}
