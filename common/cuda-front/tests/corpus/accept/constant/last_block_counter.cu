// The last block to finish goes on: a counter in global memory and a fence.
__device__ unsigned int done = 0;
__global__ void last(float *partial, float *out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        __threadfence();
        unsigned int ticket = atomicInc(&done, gridDim.x);
        is_last = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float s = 0;
        for (int i = 0; i < gridDim.x; i++) s += partial[i];
        *out = s;
        done = 0;
    }
}
