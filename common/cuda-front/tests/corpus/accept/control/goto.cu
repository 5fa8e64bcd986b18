// goto forwards out of nested loops and backwards.
__global__ void jumps(int *out, const int *in, int n) {
    int i, j, tries = 0;
again:
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (in[i * n + j] == tries) goto found;
    if (++tries < 3) goto again;
    out[0] = -1;
    goto done;
found:
    out[0] = i * n + j;
done:
    out[1] = tries;
}
