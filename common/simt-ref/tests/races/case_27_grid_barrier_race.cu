// All blocks wait for each other at a counter, and no fence comes before it.
// launch: <<<5, 64>>>
// expect: race (P1)
__global__ void k(int *data, int *count, int *out) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        data[b] = b;
        atomicAdd(count, 1);
        while (*(volatile int *)count < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 32) out[b] = data[(b + 1) % gridDim.x];
}
