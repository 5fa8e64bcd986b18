// All write and fence, one thread counts and fences, and its block reads.
// launch: <<<2, 64>>>
// expect: clean
__global__ void k(int *p, int *count, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    p[blockIdx.x * 64 + t] = t;
    __threadfence();
    __syncthreads();
    if (t == 0) {
        last = atomicAdd(count, 1) == 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        out[t] = p[t] + p[64 + t];
    }
}
