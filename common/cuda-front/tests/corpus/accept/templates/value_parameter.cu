// Values as parameters: sizes of arrays, bounds of loops, expressions of them.
template <int N, bool Reverse>
__device__ int sum(const int *p) {
    int local[N + 1];
    for (int i = 0; i < N; i++) local[i] = p[Reverse ? N - 1 - i : i];
    local[N] = 0;
    int s = 0;
#pragma unroll
    for (int i = 0; i <= N; i++) s = s * 2 + local[i];
    return s;
}
template <int ROWS, int COLS = ROWS * 2>
__global__ void kernel(int *out, const int *in) {
    __shared__ int tile[ROWS][COLS];
    tile[threadIdx.x % ROWS][threadIdx.x % COLS] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[0][COLS - 1] + sum<4, true>(in) + sum<(3 > 2 ? 5 : 6), false>(in);
}
template __global__ void kernel<4>(int *, const int *);
template __global__ void kernel<4, 4>(int *, const int *);
