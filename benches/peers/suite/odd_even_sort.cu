// Sorts each block's 256 numbers in shared memory by odd-even transposition.

#define LENGTH 256

// A thread per pair.
__global__ void odd_even_sort_pairs(const int *in, int *out) {
    __shared__ int keys[LENGTH];
    int t = threadIdx.x;
    int first = blockIdx.x * LENGTH;
    keys[2 * t] = in[first + 2 * t];
    keys[2 * t + 1] = in[first + 2 * t + 1];
    __syncthreads();
    for (int phase = 0; phase < LENGTH; phase++) {
        int i = 2 * t + (phase & 1);
        if (i + 1 < LENGTH && keys[i] > keys[i + 1]) {
            int temp = keys[i];
            keys[i] = keys[i + 1];
            keys[i + 1] = temp;
        }
        __syncthreads();
    }
    out[first + 2 * t] = keys[2 * t];
    out[first + 2 * t + 1] = keys[2 * t + 1];
}

// A thread per element, of which every second one compares.
__global__ void odd_even_sort_elements(const int *in, int *out) {
    __shared__ int keys[LENGTH];
    const int i = threadIdx.x;
    keys[i] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int phase = 0; phase < LENGTH; ++phase) {
        if (i % 2 == phase % 2 && i < LENGTH - 1) {
            const int low = min(keys[i], keys[i + 1]);
            const int high = max(keys[i], keys[i + 1]);
            keys[i] = low;
            keys[i + 1] = high;
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = keys[i];
}
