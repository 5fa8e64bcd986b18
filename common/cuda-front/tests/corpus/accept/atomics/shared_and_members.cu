// Atomics on shared memory, on elements of arrays of structs, with the result used.
struct Slot {
    int count;
    unsigned sum;
};
__global__ void slots(Slot *s, int *order, int n) {
    __shared__ int next;
    __shared__ unsigned hist[16];
    if (threadIdx.x == 0) next = 0;
    if (threadIdx.x < 16) hist[threadIdx.x] = 0;
    __syncthreads();
    int mine = atomicAdd(&next, 1);
    if (mine < n) order[mine] = threadIdx.x;
    atomicAdd(hist + threadIdx.x % 16, 1);
    atomicAdd_block(&hist[0], 1u);
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(&s[threadIdx.x].count, 1);
        atomicAdd(&s[threadIdx.x].sum, hist[threadIdx.x]);
    }
}
