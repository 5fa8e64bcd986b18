// A matrix product whose threads each compute TM x TN elements in registers, vector loads, A transposed in shared memory.
#include <cstdlib>
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN))
    sgemm(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
    constexpr int threads = (BM * BN) / (TM * TN);
    static_assert(BK % 4 == 0 && BN % 4 == 0, "loads are of four floats");
    __shared__ float As[BK * BM];
    __shared__ float Bs[BK * BN];
    const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const uint innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
    const uint innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
    constexpr uint strideA = threads / (BK / 4), strideB = threads / (BN / 4);
    float results[TM * TN] = {0.0};
    float regM[TM] = {0.0};
    float regN[TN] = {0.0};
    for (uint k0 = 0; k0 < K; k0 += BK) {
        for (uint o = 0; o + strideA <= BM; o += strideA) {
            const float4 v = reinterpret_cast<const float4 *>(&A[(innerRowA + o) * K + innerColA * 4])[0];
            As[(innerColA * 4 + 0) * BM + innerRowA + o] = v.x;
            As[(innerColA * 4 + 1) * BM + innerRowA + o] = v.y;
            As[(innerColA * 4 + 2) * BM + innerRowA + o] = v.z;
            As[(innerColA * 4 + 3) * BM + innerRowA + o] = v.w;
        }
        for (uint o = 0; o + strideB <= BK; o += strideB)
            reinterpret_cast<float4 *>(&Bs[(innerRowB + o) * BN + innerColB * 4])[0] =
                reinterpret_cast<const float4 *>(&B[(innerRowB + o) * N + innerColB * 4])[0];
        __syncthreads();
        A += BK;
        B += BK * N;
#pragma unroll
        for (uint dot = 0; dot < BK; ++dot) {
            for (uint i = 0; i < TM; ++i) regM[i] = As[dot * BM + threadRow * TM + i];
            for (uint i = 0; i < TN; ++i) regN[i] = Bs[dot * BN + threadCol * TN + i];
            for (uint m = 0; m < TM; ++m)
                for (uint n = 0; n < TN; ++n) results[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (uint m = 0; m < TM; m += 1)
        for (uint n = 0; n < TN; n += 4) {
            float4 out;
            out.x = results[m * TN + n];
            out.y = results[m * TN + n + 1];
            out.z = results[m * TN + n + 2];
            out.w = results[m * TN + n + 3];
            reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0] = out;
        }
}
template __global__ void sgemm<64, 64, 8, 4, 4>(int, int, int, const float *, const float *, float *);
