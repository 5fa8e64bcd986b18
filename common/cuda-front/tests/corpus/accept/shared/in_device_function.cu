// A shared variable declared in a device function, and one in a template.
template <typename T>
__device__ T broadcast(T v) {
    __shared__ T slot;
    if (threadIdx.x == 0) slot = v;
    __syncthreads();
    return slot;
}
__device__ int *scratch() {
    __shared__ int s[32];
    return s;
}
__global__ void use(float *f, int *i) {
    f[threadIdx.x] = broadcast(f[threadIdx.x]);
    scratch()[threadIdx.x % 32] = i[threadIdx.x];
    __syncthreads();
    i[threadIdx.x] = scratch()[0];
}
