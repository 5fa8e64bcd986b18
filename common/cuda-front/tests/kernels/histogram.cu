// Histogram with shared counters, and what else atomics do.
#define BINS 256

__global__ void histogram(const unsigned char *data, unsigned int *bins, int n) {
    __shared__ unsigned int local[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = blockDim.x * gridDim.x;
    while (i < n) {
        atomicAdd(&local[data[i]], 1u);
        i += stride;
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (local[b]) atomicAdd(bins + b, local[b]);
}

__device__ unsigned int tickets;

__global__ void extremes(const int *data, int *low, int *high, int n, unsigned int *last) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMin(low, data[i]);
        atomicMax(high, data[i]);
    }
    __threadfence();
    if (threadIdx.x == 0) {
        const unsigned int ticket = atomicInc(&tickets, gridDim.x - 1);
        if (ticket == gridDim.x - 1) atomicExch(last, blockIdx.x);
    }
}

__device__ double add_double(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address;
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void sum(const double *in, double *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) add_double(out, in[i]);
}
