// The sum of each block's 256 elements: warps by shuffles, and then the warps' sums.

#define FULL_MASK 0xffffffff

__global__ void reduce_shuffle_down(const float *in, float *sums) {
    __shared__ float warp_sums[8];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    float value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(FULL_MASK, value, offset);
    }
    if (lane == 0) {
        warp_sums[warp] = value;
    }
    __syncthreads();
    if (warp == 0) {
        value = lane < 8 ? warp_sums[lane] : 0.0f;
        for (int offset = 4; offset > 0; offset /= 2) {
            value += __shfl_down_sync(FULL_MASK, value, offset);
        }
        if (lane == 0) {
            sums[blockIdx.x] = value;
        }
    }
}

__device__ float warp_sum(float value) {
    value += __shfl_xor_sync(FULL_MASK, value, 16);
    value += __shfl_xor_sync(FULL_MASK, value, 8);
    value += __shfl_xor_sync(FULL_MASK, value, 4);
    value += __shfl_xor_sync(FULL_MASK, value, 2);
    value += __shfl_xor_sync(FULL_MASK, value, 1);
    return value;
}

__global__ void reduce_shuffle_xor(const float *in, float *sums) {
    __shared__ float warp_sums[32];
    const int t = threadIdx.x;
    if (t < 32) {
        warp_sums[t] = 0.0f;
    }
    __syncthreads();
    float value = warp_sum(in[t + blockIdx.x * blockDim.x]);
    if ((t & 31) == 0) {
        warp_sums[t >> 5] = value;
    }
    __syncthreads();
    if (t < 32) {
        value = warp_sum(warp_sums[t]);
        if (t == 0) {
            sums[blockIdx.x] = value;
        }
    }
}
