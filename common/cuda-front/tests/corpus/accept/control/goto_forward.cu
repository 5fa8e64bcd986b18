// goto out of nested loops, and to labels at the end of blocks.
__global__ void search(int *out, const int *in, int n) {
    int i, j = 0;
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            if (in[i * n + j] < 0) goto next;
            if (in[i * n + j] == (int)threadIdx.x) goto found;
        }
    next:;
    }
    out[threadIdx.x] = -1;
    goto done;
found:
    out[threadIdx.x] = i * n + j;
done:
    out[32 + threadIdx.x] = j;
}
