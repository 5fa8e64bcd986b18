// A fence and a barrier release for other threads of the block only if the fences are sequentially consistent.
// launch: <<<2, 64>>>
// expect: race (P1)
__global__ void k(int *p, int *count, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    p[blockIdx.x * 64 + t] = t;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        last = atomicAdd(count, 1) == 1;
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    __syncthreads();
    if (last) {
        out[t] = p[t] + p[64 + t];
    }
}
