// out[i] = in[index[i]], with indices in no order.

__global__ void gather_1d(const float *in, const int *index, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[index[i]];
    }
}

// The same with blocks of 32 x 8 threads.
__global__ void gather_2d(const float *in, const int *index, float *out, int n) {
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int i = blockIdx.x * (blockDim.x * blockDim.y) + thread;
    if (i < n) {
        int from = index[i];
        out[i] = in[from];
    }
}
