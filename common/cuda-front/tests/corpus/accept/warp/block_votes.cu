// Barriers that count and vote.
__global__ void counted(int *out, const int *in) {
    int p = in[threadIdx.x] & 1;
    int n = __syncthreads_count(p);
    int all = __syncthreads_and(p);
    int any = __syncthreads_or(p);
    if (threadIdx.x == 0) out[0] = n + all * 1000 + any * 2000;
}
