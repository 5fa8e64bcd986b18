// Lanes outside of the barrier read the word that one inside has written.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = 7;
    __syncwarp(t < 8 ? 0xffu : 0xffffff00u);
    out[t] = s[0];
}
