// Every shuffle, with and without a width, of each type.
__global__ void shuffles(int *i, float *f, double *d, long long *l) {
    const unsigned FULL = 0xffffffff;
    int lane = threadIdx.x & 31;
    i[0] = __shfl_sync(FULL, lane, 0);
    i[1] = __shfl_up_sync(FULL, lane, 1);
    i[2] = __shfl_down_sync(FULL, lane, 1, 16);
    i[3] = __shfl_xor_sync(FULL, lane, 4, 8);
    f[0] = __shfl_xor_sync(FULL, f[lane], 16);
    d[0] = __shfl_down_sync(FULL, d[lane], 8);
    l[0] = __shfl_sync(FULL, l[lane], lane ^ 1);
}
