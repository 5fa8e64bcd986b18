// A reduction over any type and operation, by shuffles and shared memory.
template <typename T>
struct MaxOp {
    static constexpr T identity = T(-2147483647);
    __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <typename T>
struct SumOp {
    static constexpr T identity = T(0);
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T, template <typename> class Op, int BLOCK>
__device__ T block_reduce(T v) {
    static_assert(BLOCK % 32 == 0, "whole warps");
    Op<T> op;
    __shared__ T warps[BLOCK / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int d = 16; d; d /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
    if (lane == 0) warps[warp] = v;
    __syncthreads();
    v = lane < BLOCK / 32 ? warps[lane] : Op<T>::identity;
#pragma unroll
    for (int d = 16; d; d /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}
__global__ void both(const int *in, int *out, int n) {
    int s = 0, m = MaxOp<int>::identity;
    for (int i = threadIdx.x; i < n; i += 256) {
        s += in[i];
        m = max(m, in[i]);
    }
    s = block_reduce<int, SumOp, 256>(s);
    m = block_reduce<int, MaxOp, 256>(m);
    if (threadIdx.x == 0) out[0] = s, out[1] = m;
}
