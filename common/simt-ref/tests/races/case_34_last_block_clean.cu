// The block that counts last reads what all have written.
// launch: <<<4, 1>>>
// expect: clean
__global__ void k(int *p, int *count, int *out) {
    int b = blockIdx.x;
    p[b] = b;
    __threadfence();
    int n = atomicAdd(count, 1);
    __threadfence();
    if (n == 3) {
        for (int i = 0; i < 4; ++i) out[0] += p[i];
    }
}
