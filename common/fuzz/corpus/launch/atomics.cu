// launch: grid 3 1 1 block 40 1 1 shared 0 n 5
__device__ unsigned int ticket;
__global__ void k(int *bins, float *sum, int n) {
    __shared__ int local[8];
    if (threadIdx.x < 8) local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local[threadIdx.x * n % 8], 1);
    atomicMax(&bins[9], (int)threadIdx.x);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
    atomicAdd(sum, 0.5f);
    __threadfence();
    if (threadIdx.x == 0 && atomicInc(&ticket, 2) == 2) bins[10] = atomicCAS(&bins[11], 3, 4);
}
