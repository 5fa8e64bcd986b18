// The sides of a branch are not ordered.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) s[t] = 1;
    else out[t] = s[t - 16];
}
