// Shared memory belongs to a block.
__managed__ __shared__ int tile[4]; // ERROR
__global__ void k(int *out) { out[0] = 1; }
