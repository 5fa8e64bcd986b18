// A histogram: each block counts in shared memory, then adds to the result.
constexpr int BINS = 64;

__global__ void histogram(const unsigned char *data, int n, unsigned int *bins) {
    __shared__ unsigned int counts[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        counts[b] = 0;
    }
    __syncthreads();
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&counts[data[i] % BINS], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        if (counts[b] != 0) atomicAdd(bins + b, counts[b]);
    }
}

// The maximum of floats, of either sign, through compare-and-swap. The first guess is the least float: a plain read of
// what other blocks change would be a race.
__device__ float atomic_max(float *address, float value) {
    int *bits = (int *)address;
    int old = __float_as_int(-3.402823466e38f), assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value) break;
        old = atomicCAS(bits, assumed, __float_as_int(value));
    } while (assumed != old);
    return __int_as_float(old);
}

__global__ void maximum(const float *data, int n, float *result) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        atomic_max(result, data[i]);
    }
}
