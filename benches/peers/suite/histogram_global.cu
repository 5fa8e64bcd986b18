// How often each byte occurs, counted in global memory.

__global__ void histogram_global_one(const unsigned char *data, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[data[i]], 1);
    }
}

__global__ void histogram_global_loop(const unsigned char *data, int *bins, int n) {
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned char value = data[i];
        atomicAdd(bins + value, 1);
    }
}
