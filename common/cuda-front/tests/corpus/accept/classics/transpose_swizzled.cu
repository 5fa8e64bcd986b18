// A transpose whose tile is swizzled by xor in place of a pad.
template <typename T, int DIM>
__device__ void swizzled(T *out, const T *in, int n) {
    __shared__ T tile[DIM * DIM];
    auto at = [](int r, int c) { return r * DIM + (c ^ r); };
    int x = blockIdx.x * DIM + threadIdx.x, y = blockIdx.y * DIM;
    for (int r = threadIdx.y; r < DIM; r += blockDim.y) tile[at(r, threadIdx.x)] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * DIM + threadIdx.x, y = blockIdx.x * DIM;
    for (int r = threadIdx.y; r < DIM; r += blockDim.y) out[(y + r) * n + x] = tile[at(threadIdx.x, r)];
}
__global__ void transpose32(float *out, const float *in, int n) { swizzled<float, 32>(out, in, n); }
