// A load by the read-only path of a word that the launch has written.
// launch: <<<1, 64>>>
// expect: race (P10)
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    g[t] = t;
    __syncthreads();
    out[t] = __ldg(g + 63 - t);
}
