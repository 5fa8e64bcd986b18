// A read before a barrier of the warp, in a kernel that compares and swaps another word: between blocks.
// launch: <<<2, 1>>>
// expect: race (P3)
__global__ void k(int *g, int *h, int *out) {
    int b = blockIdx.x;
    if (b == 0) out[0] = g[0];
    __syncwarp();
    if (b == 1) atomicAdd(g, 1);
    atomicCAS(h, 0, 1);
}
