// Bitonic sort: in shared memory, and a step in global memory.
template <typename T>
__device__ inline void compare_swap(T &a, T &b, bool up) {
    if ((a > b) == up) {
        T t = a;
        a = b;
        b = t;
    }
}
__global__ void sort_shared(int *data) {
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * 512 + t];
    s[t + 256] = data[blockIdx.x * 512 + t + 256];
    for (int size = 2; size <= 512; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int pos = 2 * t - (t & (stride - 1));
            compare_swap(s[pos], s[pos + stride], (t & (size / 2)) == 0);
        }
    __syncthreads();
    data[blockIdx.x * 512 + t] = s[t];
    data[blockIdx.x * 512 + t + 256] = s[t + 256];
}
__global__ void sort_step(int *data, int j, int k) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
    if (other > i) compare_swap(data[i], data[other], !(i & k));
}
