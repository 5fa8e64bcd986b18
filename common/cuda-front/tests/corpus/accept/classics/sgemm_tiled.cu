// A matrix product with tiles in shared memory and checks at the edges.
#define TILE 16
struct Matrix {
    int rows, cols, stride;
    float *data;
    __device__ float get(int r, int c) const { return r < rows && c < cols ? data[r * stride + c] : 0.0f; }
};
__global__ void matmul(Matrix a, Matrix b, Matrix c) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0;
    for (int t = 0; t < (a.cols + TILE - 1) / TILE; t++) {
        as[ty][tx] = a.get(row, t * TILE + tx);
        bs[ty][tx] = b.get(t * TILE + ty, col);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) acc += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    if (row < c.rows && col < c.cols) c.data[row * c.stride + col] = acc;
}
