// Sorts each block's 512 numbers in shared memory by a bitonic network.

#define LENGTH 512

// A thread compares one pair, as in the NVIDIA sample.
__global__ void bitonic_sort_pairs(const int *in, int *out) {
    __shared__ int keys[LENGTH];
    int t = threadIdx.x;
    int first = blockIdx.x * LENGTH;
    keys[t] = in[first + t];
    keys[t + LENGTH / 2] = in[first + t + LENGTH / 2];
    for (int size = 2; size <= LENGTH; size <<= 1) {
        bool ascending = (t & (size / 2)) == 0;
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int pos = 2 * t - (t & (stride - 1));
            int a = keys[pos];
            int b = keys[pos + stride];
            if ((a > b) == ascending) {
                keys[pos] = b;
                keys[pos + stride] = a;
            }
        }
    }
    __syncthreads();
    out[first + t] = keys[t];
    out[first + t + LENGTH / 2] = keys[t + LENGTH / 2];
}

// A thread per element; the one with the lower index compares.
__global__ void bitonic_sort_elements(const int *in, int *out) {
    __shared__ int keys[LENGTH];
    const int i = threadIdx.x;
    keys[i] = in[blockIdx.x * LENGTH + i];
    __syncthreads();
    for (int k = 2; k <= LENGTH; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int other = i ^ j;
            if (other > i) {
                if ((i & k) == 0) {
                    if (keys[i] > keys[other]) {
                        int temp = keys[i];
                        keys[i] = keys[other];
                        keys[other] = temp;
                    }
                } else {
                    if (keys[i] < keys[other]) {
                        int temp = keys[i];
                        keys[i] = keys[other];
                        keys[other] = temp;
                    }
                }
            }
            __syncthreads();
        }
    }
    out[blockIdx.x * LENGTH + i] = keys[i];
}
