// Bytes are read of words that other threads write, after a barrier; and of words that nothing writes.
// launch: <<<3, 64>>>
// expect: clean
__global__ void k(int *p, int *out) {
    int t = threadIdx.x, *own = p + 64 * blockIdx.x;
    char *bytes = (char *)own;
    int sum = bytes[4 * 40 + t];
    if (t < 32) own[t] = t;
    __syncthreads();
    if (t == 40) sum += bytes[4 * 7 + 1];
    out[64 * blockIdx.x + t] = sum;
}
