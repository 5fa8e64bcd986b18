// Constants of class templates used as sizes and in other templates' arguments.
template <int M, int N, int K>
struct Shape {
    static constexpr int m = M, n = N, k = K;
    static constexpr int elements = M * N;
    enum { threads = elements / 4 };
};
template <typename S>
struct Config {
    using Big = Shape<S::m * 2, S::n * 2, S::k>;
    static constexpr int smem = Big::elements + S::k;
};
template <typename S>
__global__ void __launch_bounds__(S::threads) kernel(float *out) {
    __shared__ float tile[S::m][S::n + 1];
    __shared__ float extra[Config<S>::smem];
    tile[threadIdx.x / S::n][threadIdx.x % S::n] = threadIdx.x;
    extra[threadIdx.x] = 1;
    __syncthreads();
    for (int i = threadIdx.x; i < S::elements; i += S::threads) out[i] = tile[i / S::n][i % S::n] + extra[0];
}
template __global__ void kernel<Shape<16, 16, 8>>(float *);
