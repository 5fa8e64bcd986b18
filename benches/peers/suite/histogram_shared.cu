// How often each byte occurs: counted per block in shared memory, and then added up.

#define BINS 256

// A block takes bytes a grid apart.
__global__ void histogram_shared_strided(const unsigned char *data, int *bins, int n) {
    __shared__ int counts[BINS];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        atomicAdd(&counts[data[i]], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

// A block takes bytes that follow one another.
__global__ void histogram_shared_chunked(const unsigned char *data, int *bins, int n) {
    __shared__ int counts[BINS];
    int t = threadIdx.x;
    int chunk = (n + gridDim.x - 1) / gridDim.x;
    int end = (blockIdx.x + 1) * chunk;
    if (end > n) {
        end = n;
    }
    for (int bin = t; bin < BINS; bin += blockDim.x) {
        counts[bin] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * chunk + t;
    while (i < end) {
        int value = data[i];
        atomicAdd(counts + value, 1);
        i += blockDim.x;
    }
    __syncthreads();
    for (int bin = t; bin < BINS; bin += blockDim.x) {
        if (counts[bin] != 0) {
            atomicAdd(bins + bin, counts[bin]);
        }
    }
}
