// Reduction, last version: a template over the block's size, two loads a thread, the last warp unrolled.
template <unsigned int N>
__device__ void warp_reduce(volatile float *s, unsigned int t) {
    if (N >= 64) s[t] += s[t + 32];
    if (N >= 32) s[t] += s[t + 16];
    if (N >= 16) s[t] += s[t + 8];
    if (N >= 8) s[t] += s[t + 4];
    if (N >= 4) s[t] += s[t + 2];
    if (N >= 2) s[t] += s[t + 1];
}
template <unsigned int N>
__global__ void reduce6(const float *g, float *out, unsigned int n) {
    extern __shared__ float s[];
    unsigned int t = threadIdx.x, i = blockIdx.x * (N * 2) + t, stride = N * 2 * gridDim.x;
    s[t] = 0;
    while (i < n) {
        s[t] += g[i] + (i + N < n ? g[i + N] : 0.0f);
        i += stride;
    }
    __syncthreads();
    if (N >= 512) {
        if (t < 256) s[t] += s[t + 256];
        __syncthreads();
    }
    if (N >= 256) {
        if (t < 128) s[t] += s[t + 128];
        __syncthreads();
    }
    if (N >= 128) {
        if (t < 64) s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32) warp_reduce<N>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}
template __global__ void reduce6<256>(const float *, float *, unsigned int);
