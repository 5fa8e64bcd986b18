// The least value of each of 64 segments, given each value's segment, by atomics.

#define SEGMENTS 64

__global__ void segmented_min_global(const int *values, const int *segments, int *least, int n) {
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicMin(&least[segments[i]], values[i]);
    }
}

// Minima of the block in shared memory first; each block has a range.
__global__ void segmented_min_shared(const int *values, const int *segments, int *least, int n) {
    __shared__ int mine[SEGMENTS];
    const unsigned int t = threadIdx.x;
    if (t < SEGMENTS)
        mine[t] = 0x7fffffff;
    __syncthreads();
    const unsigned int each = (n + gridDim.x - 1) / gridDim.x;
    const unsigned int begin = blockIdx.x * each;
    const unsigned int end = min(begin + each, (unsigned int)n);
    unsigned int i = begin + t;
    while (i < end) {
        atomicMin(mine + segments[i], values[i]);
        i += blockDim.x;
    }
    __syncthreads();
    if (t < SEGMENTS)
        atomicMin(least + t, mine[t]);
}
