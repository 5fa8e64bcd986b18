// Words of one cache line are different locations.
// launch: <<<2, 64>>>
// expect: clean
__global__ void k(int *g, int *out) {
    g[blockIdx.x * 64 + threadIdx.x] = 1;
}
