// out[position[i]] = in[i], where each position appears once.

__global__ void scatter_one(const float *in, const int *position, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[position[i]] = in[i];
    }
}

__global__ void scatter_loop(const float *in, const int *position, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const float value = in[i];
        const int to = position[i];
        out[to] = value;
    }
}
