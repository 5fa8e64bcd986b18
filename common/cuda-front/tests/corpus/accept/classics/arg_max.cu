// The greatest element and its index, carried as a pair.
struct Best {
    float value;
    int index;
};
__device__ inline Best better(Best a, Best b) {
    if (b.value > a.value || (b.value == a.value && b.index < a.index)) return b;
    return a;
}
__global__ void arg_max(const float *in, int n, Best *out) {
    __shared__ Best s[128];
    Best best{-3.4e38f, -1};
    for (int i = threadIdx.x; i < n; i += blockDim.x) best = better(best, Best{in[i], i});
    s[threadIdx.x] = best;
    __syncthreads();
    for (int d = blockDim.x >> 1; d > 0; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] = better(s[threadIdx.x], s[threadIdx.x + d]);
        __syncthreads();
    }
    if (!threadIdx.x) *out = s[0];
}
