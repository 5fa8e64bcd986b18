// C = A B, row-major: one step of the ladder a kernel. Sizes of the last three are multiples of their tiles.

__global__ void naive(int m, int n, int k, const float *A, const float *B, float *C) {
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i) {
            sum += A[row * k + i] * B[i * n + column];
        }
        C[row * n + column] = sum;
    }
}

template <int TILE>
__device__ void tiled_body(int m, int n, int k, const float *A, const float *B, float *C) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int ty = threadIdx.y, tx = threadIdx.x;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0.f;
    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        a[ty][tx] = (row < m && t * TILE + tx < k) ? A[row * k + t * TILE + tx] : 0.f;
        b[ty][tx] = (column < n && t * TILE + ty < k) ? B[(t * TILE + ty) * n + column] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    if (row < m && column < n) C[row * n + column] = sum;
}

__global__ void tiled(int m, int n, int k, const float *A, const float *B, float *C) {
    tiled_body<16>(m, n, k, A, B, C);
}

// 64 x 64 of C a block, 8 x 4 a thread, 8 of k at a time.
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), 1)
    blocked(int m, int n, int k, const float *A, const float *B, float *C) {
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threads = (BM / TM) * (BN / TN);
    const int tr = threadIdx.x / (BN / TN), tc = threadIdx.x % (BN / TN);
    A += blockIdx.y * BM * k;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * n + blockIdx.x * BN;
    float acc[TM * TN] = {0.0f};
    float ra[TM] = {0.0f}, rb[TN] = {0.0f};
    for (int start = 0; start < k; start += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += threads) As[i] = A[(i / BK) * k + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += threads) Bs[i] = B[(i / BN) * n + i % BN];
        __syncthreads();
        A += BK;
        B += BK * n;
        for (int p = 0; p < BK; ++p) {
#pragma unroll
            for (int i = 0; i < TM; ++i) ra[i] = As[(tr * TM + i) * BK + p];
#pragma unroll
            for (int j = 0; j < TN; ++j) rb[j] = Bs[p * BN + tc * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i) {
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i * TN + j] += ra[i] * rb[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) C[(tr * TM + i) * n + tc * TN + j] = acc[i * TN + j];
    }
}

template __global__ void blocked<64, 64, 8, 8, 4>(int, int, int, const float *, const float *, float *);

// The same with four floats a load and A kept transposed; 64 threads.
__global__ void vectorised(int m, int n, int k, const float *A, const float *B, float *C) {
    constexpr int BM = 64, BN = 32, BK = 16, TM = 8, TN = 4;
    __shared__ float As[BK][BM + 4];
    __shared__ __align__(16) float Bs[BK][BN];
    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN), tc = tid % (BN / TN);
    float acc[TM][TN] = {};
    for (int start = 0; start < k; start += BK) {
        for (int v = tid; v < BM * BK / 4; v += blockDim.x) {
            int row = v / (BK / 4), c4 = v % (BK / 4) * 4;
            float4 four = reinterpret_cast<const float4 *>(&A[(blockIdx.y * BM + row) * k + start + c4])[0];
            As[c4 + 0][row] = four.x;
            As[c4 + 1][row] = four.y;
            As[c4 + 2][row] = four.z;
            As[c4 + 3][row] = four.w;
        }
        for (int v = tid; v < BK * BN / 4; v += blockDim.x) {
            int row = v / (BN / 4), c4 = v % (BN / 4) * 4;
            *reinterpret_cast<float4 *>(&Bs[row][c4]) =
                *reinterpret_cast<const float4 *>(&B[(start + row) * n + blockIdx.x * BN + c4]);
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < BK; p++) {
            float ra[TM];
            float4 rb = *(const float4 *)&Bs[p][tc * TN];
#pragma unroll
            for (int i = 0; i < TM; i++) ra[i] = As[p][tr * TM + i];
#pragma unroll
            for (int i = 0; i < TM; i++) {
                acc[i][0] = fmaf(ra[i], rb.x, acc[i][0]);
                acc[i][1] = fmaf(ra[i], rb.y, acc[i][1]);
                acc[i][2] = fmaf(ra[i], rb.z, acc[i][2]);
                acc[i][3] = fmaf(ra[i], rb.w, acc[i][3]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++) {
        int row = blockIdx.y * BM + tr * TM + i;
        float4 result = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4 *>(&C[row * n + blockIdx.x * BN + tc * TN]) = result;
    }
}

// Warps own tiles of 32 x 32, a lane 8 x 4 of them: 4 warps, 64 x 64 a block.
namespace warp_tile {
constexpr int BM = 64, BN = 64, BK = 8, WM = 32, WN = 32, TM = 8, TN = 4;

__device__ inline void load(const float *A, const float *B, float (&As)[BK][BM], float (&Bs)[BK][BN], int k, int n,
                            int start) {
    for (int i = threadIdx.x; i < BM * BK; i += blockDim.x) {
        As[i % BK][i / BK] = A[(blockIdx.y * BM + i / BK) * k + start + i % BK];
    }
    for (int i = threadIdx.x; i < BK * BN; i += blockDim.x) {
        Bs[i / BN][i % BN] = B[(start + i / BN) * n + blockIdx.x * BN + i % BN];
    }
}
} // namespace warp_tile

__global__ void __launch_bounds__(128) warp_tiled(int m, int n, int k, const float *A, const float *B, float *C) {
    using namespace warp_tile;
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BN];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int wr = warp / (BN / WN) * WM, wc = warp % (BN / WN) * WN;
    const int lr = lane / (WN / TN) * TM, lc = lane % (WN / TN) * TN;
    float acc[TM][TN];
    for (auto &row : acc) {
        for (float &value : row) value = 0.0f;
    }
    for (int start = 0; start < k; start += BK) {
        load(A, B, As, Bs, k, n, start);
        __syncthreads();
        for (int p = 0; p < BK; ++p) {
            for (int i = 0; i < TM; ++i) {
                for (int j = 0; j < TN; ++j) acc[i][j] += As[p][wr + lr + i] * Bs[p][wc + lc + j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
            C[(blockIdx.y * BM + wr + lr + i) * n + blockIdx.x * BN + wc + lc + j] = acc[i][j];
        }
    }
}
