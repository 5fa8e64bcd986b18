// Sums of blocks: a tree in shared memory, and shuffles within warps.

__global__ void reduce_shared(const float *in, float *sums, int n) {
    extern __shared__ float partial[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + tid;
    float sum = i < n ? in[i] : 0.0f;
    if (i + blockDim.x < n) {
        sum += in[i + blockDim.x];
    }
    partial[tid] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            partial[tid] += partial[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) {
        sums[blockIdx.x] = partial[0];
    }
}

__inline__ __device__ float warp_sum(float value) {
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void reduce_shuffle(const float *__restrict__ in, float *__restrict__ sums, int n) {
    __shared__ float of_warp[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        of_warp[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = threadIdx.x < blockDim.x / warpSize ? of_warp[lane] : 0.0f;
        sum = warp_sum(sum);
        if (lane == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}
