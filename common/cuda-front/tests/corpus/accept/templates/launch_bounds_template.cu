// Template constants in __launch_bounds__ and in shared arrays.
template <int THREADS, typename T>
__global__ void __launch_bounds__(THREADS) sums(T *out, const T *in) {
    __shared__ T s[THREADS];
    s[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int d = THREADS / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
template __global__ void sums<128, float>(float *, const float *);
template __global__ void sums<64, int>(int *, const int *);
