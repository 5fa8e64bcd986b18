// Sparse matrix times vector: a thread a row and a warp a row.
struct Csr {
    int rows;
    const int *row_ptr, *col;
    const float *val;
};
__global__ void spmv_scalar(Csr m, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m.rows) return;
    float s = 0;
    for (int i = m.row_ptr[r], end = m.row_ptr[r + 1]; i < end; ++i) s += m.val[i] * x[m.col[i]];
    y[r] = s;
}
template <int LANES>
__global__ void spmv_vector(Csr m, const float *__restrict__ x, float *__restrict__ y) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float s = 0;
    if (r < m.rows)
        for (int i = m.row_ptr[r] + lane; i < m.row_ptr[r + 1]; i += LANES) s += m.val[i] * x[m.col[i]];
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) s += __shfl_down_sync(0xffffffff, s, d, LANES);
    if (lane == 0 && r < m.rows) y[r] = s;
}
template __global__ void spmv_vector<8>(Csr, const float *, float *);
