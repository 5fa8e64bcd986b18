// Kernels whose threads leave in every way, with barriers only where all arrive.
__device__ bool done(const int *flags, int n) {
    for (int i = 0; i < n; ++i)
        if (!flags[i]) return false;
    return true;
}
__global__ void exits(int *out, const int *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int found;
    if (!threadIdx.x) found = 0;
    __syncthreads();
    do {
        if (i >= n) break;
        if (in[i] < 0) break;
        for (int k = 0;; ++k) {
            if (k == 8) goto next;
            if (in[(i + k) % n] == k) break;
        }
        atomicOr(&found, 1);
    next:;
    } while (false);
    __syncthreads();
    if (found && i < n && !done(in, 2)) out[i] = found;
}
