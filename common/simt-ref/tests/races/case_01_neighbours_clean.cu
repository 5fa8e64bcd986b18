// The same with a barrier of the warp.
// launch: <<<1, 32>>>
// expect: clean
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    out[t] = s[t ^ 1];
}
