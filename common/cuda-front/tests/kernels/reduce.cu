// Sum by shuffles within a warp and through shared memory between warps.
__device__ float warp_sum(float value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void reduce(const float *in, float *out, int n) {
    __shared__ float partial[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    sum = warp_sum(sum);
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < (blockDim.x + warpSize - 1) / warpSize ? partial[lane] : 0.0f;
        sum = warp_sum(sum);
        if (lane == 0) atomicAdd(out, sum);
    }
}

__global__ void tree(const int *in, int *out) {
    extern __shared__ int data[];
    data[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (threadIdx.x < s) data[threadIdx.x] += data[threadIdx.x + s];
        __syncthreads();
    }
    if (!threadIdx.x) out[blockIdx.x] = data[0];
}
