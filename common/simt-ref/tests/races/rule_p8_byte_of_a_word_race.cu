// A byte is read of a word that another thread writes; nothing less than a word is written.
// launch: <<<3, 64>>>
// expect: race (P8)
__global__ void k(int *p, int *out) {
    int t = threadIdx.x, *own = p + 64 * blockIdx.x;
    if (t < 32) own[t] = t;
    if (t == 40) out[blockIdx.x] = ((char *)own)[4 * 7 + 1];
}
