// A barrier of the block orders warps, in global memory too.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    g[t] = t;
    __syncthreads();
    out[t] = g[63 - t];
}
