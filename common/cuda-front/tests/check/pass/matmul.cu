#include <cuda_runtime.h>
#include <cstdio>
#define TILE 16
constexpr int WIDTH = 2 * TILE;
const int HALF = WIDTH / 2;
__constant__ float coefficients[HALF];
__device__ unsigned long long hits;

__host__ __device__ inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

template <int T>
__device__ float dot(const float (&a)[T][T], const float (&b)[T][T], int row, int col) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < T; ++k) sum += a[row][k] * b[k][col];
    return sum;
}

__global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *c, int m, int n, int k) {
    __shared__ float ta[TILE][TILE];
    __shared__ float tb[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int p = 0; p < ceil_div(k, TILE); p++) {
        int ka = p * TILE + threadIdx.x;
        ta[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.0f;
        int kb = p * TILE + threadIdx.y;
        tb[threadIdx.y][threadIdx.x] = kb < k && col < n ? b[kb * n + col] : 0.f;
        __syncthreads();
        sum += dot(ta, tb, threadIdx.y, threadIdx.x);
        __syncthreads();
    }
    if (row < m && col < n) {
        c[row * n + col] = sum * coefficients[0];
        atomicAdd(&hits, 1ULL);
    }
}

int main() {
    float *d;
    cudaMalloc(&d, 100);
    matmul<<<1, 1>>>(d, d, d, 1, 1, 1);
    return 0;
}
