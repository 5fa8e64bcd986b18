// Function templates with default template and default call arguments, called with explicit and deduced ones.
template <int UNROLL = 4, typename T, typename Index = int>
__device__ T sum(const T *p, Index n, Index step = 1, T start = T()) {
    T s = start;
#pragma unroll UNROLL
    for (Index i = 0; i < n; i += step) s += p[i];
    return s;
}
template <typename To = float, typename From>
__device__ To cast(From x) { return To(x); }
__global__ void defaults(float *out, const float *in, const int *ints) {
    out[0] = sum(in, 8) + sum<2>(in, 8, 2) + sum<1>(ints, 4u, 1u) + cast(3) + cast<int>(2.5f);
    out[1] = sum<8, float, long long>(in, 8ll, 1ll, 0.5f);
}
