// The inclusive prefix sums of each block's 256 elements, after Hillis and Steele.

#define BLOCK 256

// Two buffers take turns.
__global__ void scan_two_buffers(const int *in, int *out) {
    __shared__ int buffer[2][BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = 0;
    buffer[from][t] = in[i];
    __syncthreads();
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        int to = 1 - from;
        if (t >= distance) {
            buffer[to][t] = buffer[from][t] + buffer[from][t - distance];
        } else {
            buffer[to][t] = buffer[from][t];
        }
        __syncthreads();
        from = to;
    }
    out[i] = buffer[from][t];
}

// One buffer with two barriers per step.
__global__ void scan_one_buffer(const int *in, int *out) {
    __shared__ int sums[BLOCK];
    const int t = threadIdx.x;
    const int first = blockIdx.x * BLOCK;
    sums[t] = in[first + t];
    for (int distance = 1; distance < BLOCK; distance <<= 1) {
        __syncthreads();
        int left = 0;
        if (t >= distance) {
            left = sums[t - distance];
        }
        __syncthreads();
        sums[t] += left;
    }
    out[first + t] = sums[t];
}
