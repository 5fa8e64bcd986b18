// A reduction whose steps a recursive template unrolls, with a functor and an identity as parameters.
template <int N>
struct Tree {
    template <typename T, typename Op>
    static __device__ void run(volatile T *s, int t, Op op) {
        if (t < N) s[t] = op(s[t], s[t + N]);
        __syncthreads();
        Tree<N / 2>::run(s, t, op);
    }
};
template <>
struct Tree<0> {
    template <typename T, typename Op>
    static __device__ void run(volatile T *, int, Op) {}
};
struct Min {
    __device__ float operator()(float a, float b) const { return a < b ? a : b; }
};
__global__ void minimum(float *out, const float *in) {
    __shared__ float s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    Tree<128>::run(s, threadIdx.x, Min());
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
