// c = a * b for n x n matrices of integers through tiles.

#define TILE 16

__global__ void matmul_int_2d(const int *a, const int *b, int *c, int n) {
    __shared__ int a_tile[TILE][TILE];
    __shared__ int b_tile[TILE][TILE];
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int start = 0; start < n; start += TILE) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

template <int SIDE>
__global__ void matmul_int_template(const int *a, const int *b, int *c, int n) {
    __shared__ int tiles[2][SIDE][SIDE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int *from_a = a + (blockIdx.y * SIDE + y) * n + x;
    const int *from_b = b + y * n + blockIdx.x * SIDE + x;
    int sum = 0;
    for (int left = n / SIDE; left > 0; left--) {
        tiles[0][y][x] = *from_a;
        tiles[1][y][x] = *from_b;
        from_a += SIDE;
        from_b += SIDE * n;
        __syncthreads();
        for (int k = SIDE - 1; k >= 0; k--) {
            sum += tiles[0][y][k] * tiles[1][k][x];
        }
        __syncthreads();
    }
    c[(blockIdx.y * SIDE + y) * n + blockIdx.x * SIDE + x] = sum;
}
