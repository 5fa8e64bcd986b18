// Lanes of one store write one value to one word.
// launch: <<<1, 32>>>
// expect: clean
__global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[0] = 7;
    (void)t;
}
