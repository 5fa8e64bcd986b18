// c = a * b for n x n matrices: blocks of 16 x 16 threads compute 64 x 64 elements, 4 x 4 per thread.

#define TILE 64
#define DEPTH 16
#define EACH 4

// A thread's elements are neighbours.
__global__ void matmul_registers_adjacent(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[TILE][DEPTH];
    __shared__ float b_tile[DEPTH][TILE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int t = ty * 16 + tx;
    int top = blockIdx.y * TILE;
    int left = blockIdx.x * TILE;
    float sum[EACH][EACH] = {{0.0f}};
    for (int k0 = 0; k0 < n; k0 += DEPTH) {
        for (int i = t; i < TILE * DEPTH; i += 256) {
            a_tile[i / DEPTH][i % DEPTH] = a[(top + i / DEPTH) * n + k0 + i % DEPTH];
            b_tile[i / TILE][i % TILE] = b[(k0 + i / TILE) * n + left + i % TILE];
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            for (int i = 0; i < EACH; i++) {
                for (int j = 0; j < EACH; j++) {
                    sum[i][j] += a_tile[ty * EACH + i][k] * b_tile[k][tx * EACH + j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            c[(top + ty * EACH + i) * n + left + tx * EACH + j] = sum[i][j];
        }
    }
}

// A thread's elements are 16 apart; factors are read into registers first.
__global__ void matmul_registers_apart(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[DEPTH][TILE];
    __shared__ float b_tile[DEPTH][TILE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const float *a_rows = a + blockIdx.y * TILE * n;
    const float *b_columns = b + blockIdx.x * TILE;
    float sum[EACH * EACH];
    for (int i = 0; i < EACH * EACH; i++) {
        sum[i] = 0.0f;
    }
    for (int k0 = 0; k0 < n; k0 += DEPTH) {
        for (int i = 0; i < EACH; i++) {
            a_tile[tx][ty + 16 * i] = a_rows[(ty + 16 * i) * n + k0 + tx];
            b_tile[ty][tx + 16 * i] = b_columns[(k0 + ty) * n + tx + 16 * i];
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            float from_a[EACH];
            float from_b[EACH];
            #pragma unroll
            for (int i = 0; i < EACH; i++) {
                from_a[i] = a_tile[k][ty + 16 * i];
                from_b[i] = b_tile[k][tx + 16 * i];
            }
            #pragma unroll
            for (int i = 0; i < EACH * EACH; i++) {
                sum[i] += from_a[i / EACH] * from_b[i % EACH];
            }
        }
        __syncthreads();
    }
    float *c_tile = c + blockIdx.y * TILE * n + blockIdx.x * TILE;
    for (int i = 0; i < EACH * EACH; i++) {
        c_tile[(ty + 16 * (i / EACH)) * n + tx + 16 * (i % EACH)] = sum[i];
    }
}
