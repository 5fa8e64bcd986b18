// The same without a fence after the counter.
// launch: <<<2, 64>>>
// expect: note (O9)
__global__ void k(int *p, int *count, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    p[blockIdx.x * 64 + t] = t;
    __threadfence();
    __syncthreads();
    if (t == 0) {
        last = atomicAdd(count, 1) == 1;
    }
    __syncthreads();
    if (last) {
        out[t] = p[t] + p[64 + t];
    }
}
