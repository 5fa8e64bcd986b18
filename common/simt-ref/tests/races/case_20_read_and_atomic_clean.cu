// The same after a barrier.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    atomicAdd(g, 1);
    __syncthreads();
    if (t == 40) out[0] = g[0];
}
