// Variables of the device: scalars, arrays, a pointer, one with a computed value.
__device__ int counter;
__device__ float lookup[4] = {0.5f, 1.0f, 1.5f, 2.0f};
__device__ int *where = nullptr;
__device__ const int limit = 4 * 8;
__device__ volatile int flag = 0;
__global__ void globals(float *out) {
    int i = atomicAdd(&counter, 1);
    if (i < limit) out[i] = lookup[i & 3];
    if (where) *where = i;
    flag = 1;
    lookup[0] = 3.0f;
}
