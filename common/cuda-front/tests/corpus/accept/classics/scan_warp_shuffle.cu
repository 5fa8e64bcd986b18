// A scan of a block by shuffles of its warps.
template <int BLOCK>
__device__ int block_exclusive(int v, int &total) {
    __shared__ int warps[BLOCK / 32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, x = v;
    for (int d = 1; d < 32; d <<= 1) {
        int y = __shfl_up_sync(~0u, x, d);
        if (lane >= d) x += y;
    }
    if (lane == 31) warps[warp] = x;
    __syncthreads();
    if (warp == 0) {
        int w = lane < BLOCK / 32 ? warps[lane] : 0;
        for (int d = 1; d < BLOCK / 32; d <<= 1) {
            int y = __shfl_up_sync(~0u, w, d);
            if (lane >= d) w += y;
        }
        if (lane < BLOCK / 32) warps[lane] = w;
    }
    __syncthreads();
    total = warps[BLOCK / 32 - 1];
    return x - v + (warp ? warps[warp - 1] : 0);
}
__global__ void compact(int *out, int *count, const int *in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, total;
    __shared__ int base;
    int keep = i < n && in[i] != 0;
    int at = block_exclusive<256>(keep, total);
    if (threadIdx.x == 0) base = atomicAdd(count, total);
    __syncthreads();
    if (keep) out[base + at] = in[i];
}
