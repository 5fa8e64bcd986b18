// A guess before a barrier of the block, while another warp counts.
// launch: <<<1, 64>>>
// expect: note (P3n)
__global__ void k(int *g) {
    int t = threadIdx.x, guess = 0;
    if (t == 0) guess = g[0];
    if (t == 32) atomicMax(g, 0);
    __syncthreads();
    if (t == 0) atomicCAS(g, guess, 1);
}
