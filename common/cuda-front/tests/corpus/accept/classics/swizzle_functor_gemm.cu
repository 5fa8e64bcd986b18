// A product of half-tiles with layouts as functors, loaders as templates, an epilogue as a lambda type.
template <int LD>
struct RowMajor {
    __device__ static constexpr int at(int r, int c) { return r * LD + c; }
};
template <int LD>
struct Swizzled {
    __device__ static constexpr int at(int r, int c) { return r * LD + (c ^ ((r & 7) << 2)); }
};
template <typename Layout, int ROWS, int COLS, int THREADS>
__device__ __forceinline__ void load_tile(float *__restrict__ dst, const float *__restrict__ src, int ld) {
#pragma unroll
    for (int i = threadIdx.x * 4; i < ROWS * COLS; i += THREADS * 4) {
        const int r = i / COLS, c = i % COLS;
        *reinterpret_cast<float4 *>(dst + Layout::at(r, c)) = *reinterpret_cast<const float4 *>(src + r * ld + c);
    }
}
template <int BM, int BN, int BK, typename Epilogue>
__device__ void gemm(const float *A, const float *B, float *C, int N, int K, Epilogue epilogue) {
    constexpr int THREADS = 64;
    using LA = Swizzled<BK>;
    using LB = RowMajor<BN>;
    __shared__ alignas(16) float sa[BM * BK], sb[BK * BN];
    float acc[4][4] = {};
    const int ty = threadIdx.x / 8 * 4, tx = threadIdx.x % 8 * 4;
    for (int k0 = 0; k0 < K; k0 += BK) {
        load_tile<LA, BM, BK, THREADS>(sa, A + blockIdx.y * BM * K + k0, K);
        load_tile<LB, BK, BN, THREADS>(sb, B + k0 * N + blockIdx.x * BN, N);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) acc[i][j] += sa[LA::at(ty + i, k)] * sb[LB::at(k, tx + j)];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            float &c = C[(blockIdx.y * BM + ty + i) * N + blockIdx.x * BN + tx + j];
            c = epilogue(acc[i][j], c);
        }
}
__global__ void __launch_bounds__(64) gemm_axpby(const float *A, const float *B, float *C, int N, int K, float alpha, float beta) {
    gemm<32, 32, 32>(A, B, C, N, K, [=](float x, float old) { return alpha * x + beta * old; });
}
