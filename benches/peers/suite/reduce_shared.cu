// The sum of each block's 512 elements: a tree in shared memory.

__global__ void reduce_shared_shift(const float *in, float *sums) {
    __shared__ float partial[256];
    unsigned int t = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    partial[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) {
            partial[t] += partial[t + s];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = partial[0];
    }
}

template <int BLOCK>
__global__ void reduce_shared_template(const float *in, float *sums) {
    __shared__ float partial[BLOCK];
    const int t = threadIdx.x;
    const float *mine = in + blockIdx.x * 2 * BLOCK;
    partial[t] = mine[t] + mine[BLOCK + t];
    for (int active = BLOCK / 2; active >= 1; active /= 2) {
        __syncthreads();
        if (t < active) {
            partial[t] = partial[t] + partial[t + active];
        }
    }
    if (t == 0) {
        sums[blockIdx.x] = partial[t];
    }
}
