// Threads write different bytes of words.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    ((char *)g)[t] = (char)t;
}
