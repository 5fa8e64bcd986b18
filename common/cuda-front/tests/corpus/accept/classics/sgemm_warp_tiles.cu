// A matrix product with warp tiles: loading, computing and storing in functions of a namespace.
#include <cstdlib>
const int WARPSIZE = 32;
namespace wt {
template <const int BM, const int BN, const int BK, const int rowStrideA, const int rowStrideB>
__device__ void load(int N, int K, const float *A, const float *B, float *As, float *Bs, int rA, int cA, int rB, int cB) {
    for (uint o = 0; o + rowStrideA <= BM; o += rowStrideA) {
        const float4 t = reinterpret_cast<const float4 *>(&A[(rA + o) * K + cA * 4])[0];
        As[(cA * 4 + 0) * BM + rA + o] = t.x;
        As[(cA * 4 + 1) * BM + rA + o] = t.y;
        As[(cA * 4 + 2) * BM + rA + o] = t.z;
        As[(cA * 4 + 3) * BM + rA + o] = t.w;
    }
    for (uint o = 0; o + rowStrideB <= BK; o += rowStrideB)
        reinterpret_cast<float4 *>(&Bs[(rB + o) * BN + cB * 4])[0] =
            reinterpret_cast<const float4 *>(&B[(rB + o) * N + cB * 4])[0];
}
template <int BM, int BN, int BK, int WM, int WN, int WMITER, int WNITER, int WSUBM, int WSUBN, int TM, int TN>
__device__ void compute(float *regM, float *regN, float *acc, const float *As, const float *Bs, const uint warpRow,
                        const uint warpCol, const uint rowInWarp, const uint colInWarp) {
    for (uint dot = 0; dot < BK; ++dot) {
        for (uint wr = 0; wr < WMITER; ++wr)
            for (uint i = 0; i < TM; ++i)
                regM[wr * TM + i] = As[(dot * BM) + warpRow * WM + wr * WSUBM + rowInWarp * TM + i];
        for (uint wc = 0; wc < WNITER; ++wc)
            for (uint i = 0; i < TN; ++i)
                regN[wc * TN + i] = Bs[(dot * BN) + warpCol * WN + wc * WSUBN + colInWarp * TN + i];
        for (uint wr = 0; wr < WMITER; ++wr)
            for (uint wc = 0; wc < WNITER; ++wc)
                for (uint m = 0; m < TM; ++m)
                    for (uint n = 0; n < TN; ++n)
                        acc[(wr * TM + m) * (WNITER * TN) + wc * TN + n] += regM[wr * TM + m] * regN[wc * TN + n];
    }
}
} // namespace wt
template <int BM, int BN, int BK, int WM, int WN, int WNITER, int TM, int TN, int THREADS>
__global__ void __launch_bounds__(THREADS) sgemm(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
    const uint warp = threadIdx.x / WARPSIZE, warpCol = warp % (BN / WN), warpRow = warp / (BN / WN);
    constexpr uint WMITER = (WM * WN) / (WARPSIZE * TM * TN * WNITER);
    constexpr uint WSUBM = WM / WMITER, WSUBN = WN / WNITER;
    const uint lane = threadIdx.x % WARPSIZE, colInWarp = lane % (WSUBN / TN), rowInWarp = lane / (WSUBN / TN);
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += (blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN;
    constexpr uint strideA = (THREADS * 4) / BK, strideB = THREADS / (BN / 4);
    float acc[WMITER * TM * WNITER * TN] = {0.0};
    float regM[WMITER * TM] = {0.0}, regN[WNITER * TN] = {0.0};
    for (uint k0 = 0; k0 < K; k0 += BK) {
        wt::load<BM, BN, BK, strideA, strideB>(N, K, A, B, As, Bs, threadIdx.x / (BK / 4), threadIdx.x % (BK / 4),
                                               threadIdx.x / (BN / 4), threadIdx.x % (BN / 4));
        __syncthreads();
        wt::compute<BM, BN, BK, WM, WN, WMITER, WNITER, WSUBM, WSUBN, TM, TN>(regM, regN, acc, As, Bs, warpRow, warpCol,
                                                                            rowInWarp, colInWarp);
        A += BK;
        B += BK * N;
        __syncthreads();
    }
    for (uint wr = 0; wr < WMITER; ++wr)
        for (uint wc = 0; wc < WNITER; ++wc) {
            float *Ci = C + (wr * WSUBM) * N + wc * WSUBN;
            for (uint m = 0; m < TM; m += 1)
                for (uint n = 0; n < TN; n += 4) {
                    float4 t = reinterpret_cast<float4 *>(&Ci[(rowInWarp * TM + m) * N + colInWarp * TN + n])[0];
                    const int i = (wr * TM + m) * (WNITER * TN) + wc * TN + n;
                    t.x = alpha * acc[i + 0] + beta * t.x;
                    t.y = alpha * acc[i + 1] + beta * t.y;
                    t.z = alpha * acc[i + 2] + beta * t.z;
                    t.w = alpha * acc[i + 3] + beta * t.w;
                    reinterpret_cast<float4 *>(&Ci[(rowInWarp * TM + m) * N + colInWarp * TN + n])[0] = t;
                }
        }
}
template __global__ void sgemm<64, 64, 8, 32, 32, 2, 4, 4, 128>(int, int, int, float, float *, float *, float, float *);
