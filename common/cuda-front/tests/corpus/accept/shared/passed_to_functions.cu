// Shared memory passed as pointers, references to arrays, and volatile pointers.
__device__ void last_warp(volatile float *s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
}
__device__ void zero(float (&s)[64]) { s[threadIdx.x] = 0; }
__device__ float load(const float *s, int i) { return s[i]; }
__global__ void pass(float *out) {
    __shared__ float s[64];
    zero(s);
    __syncthreads();
    if (threadIdx.x < 32) last_warp(s, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = load(s, threadIdx.x) + load(&s[1], 0);
}
