// A histogram with one copy a warp, bytes read four at a time.
#define BINS 256
#define WARPS 8
__global__ void histogram(const uchar4 *data, unsigned int *bins, int n4) {
    __shared__ unsigned int local[WARPS][BINS + 1];
    unsigned int *mine = local[threadIdx.x / 32];
    for (int i = threadIdx.x; i < WARPS * (BINS + 1); i += blockDim.x) (&local[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
        uchar4 v = data[i];
        atomicAdd(&mine[v.x], 1);
        atomicAdd(&mine[v.y], 1);
        atomicAdd(&mine[v.z], 1);
        atomicAdd(&mine[v.w], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned int sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) sum += local[w][b];
        if (sum) atomicAdd(bins + b, sum);
    }
}
