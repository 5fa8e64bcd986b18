// Two blocks store one value. What a third one had stored before is ordered before both.
// launch: <<<3, 1>>>
// expect: note (P2)
__global__ void k(int *g, int *f) {
    int b = blockIdx.x;
    if (b == 0) {
        g[0] = 5;
        __threadfence();
        atomicExch(f, 1);
    } else {
        while (!atomicAdd(f, 0)) {}
        __threadfence();
        g[0] = 7;
    }
}
