// A read before a barrier of the warp, in a kernel that compares and swaps another word.
// launch: <<<1, 64>>>
// expect: race (P3)
__global__ void k(int *g, int *h, int *out) {
    int t = threadIdx.x;
    if (t == 0) out[0] = g[0];
    __syncwarp();
    if (t == 32) atomicAdd(g, 1);
    atomicCAS(h, 0, 1);
}
