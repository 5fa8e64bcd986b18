// A block's barrier does not order it after another block.
// launch: <<<2, 64>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t == 0) g[0] = 1;
    __syncthreads();
    if (blockIdx.x == 1 && t == 0) out[0] = g[0];
}
