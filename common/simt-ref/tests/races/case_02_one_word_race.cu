// Lanes of one store write different values to one word.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[0] = t;
}
