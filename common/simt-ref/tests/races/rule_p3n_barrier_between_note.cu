// A barrier of the warp between a guess and its compare-and-swap does not make it another thing.
// launch: <<<1, 64>>>
// expect: note (P3n)
__global__ void k(int *g) {
    int guess = g[0];
    __syncwarp();
    for (;;) {
        int seen = atomicCAS(g, guess, guess + 1);
        if (seen == guess) break;
        guess = seen;
    }
}
