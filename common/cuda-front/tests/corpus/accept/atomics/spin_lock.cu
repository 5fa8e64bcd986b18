// A lock taken by one thread of a block.
__device__ int mutex = 0;
__global__ void locked(int *total) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        __threadfence();
        *total += blockIdx.x;
        __threadfence();
        atomicExch(&mutex, 0);
    }
}
