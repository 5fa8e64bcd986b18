// The same between blocks.
// launch: <<<2, 1>>>
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
