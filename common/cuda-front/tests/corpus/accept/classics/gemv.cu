// Matrix times vector, a warp a row.
__global__ void gemv(const float *__restrict__ a, const float *__restrict__ x, float *y, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += warpSize) s += a[(size_t)row * cols + c] * __ldg(x + c);
    for (int d = warpSize / 2; d > 0; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
    if (lane == 0) y[row] = s;
}
