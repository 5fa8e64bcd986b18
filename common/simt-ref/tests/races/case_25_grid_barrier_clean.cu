// All blocks wait for each other at a counter, with a barrier of the block after it.
// launch: <<<40, 33>>>
// expect: clean
__global__ void k(int *data, int *count, int *out) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        data[b] = b;
        __threadfence();
        atomicAdd(count, 1);
        while (*(volatile int *)count < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 32) out[b] = data[(b + 1) % gridDim.x];
}
