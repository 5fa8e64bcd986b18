// 2D convolution: the filter in constant memory, a shared tile with its halo loaded in a loop.
constexpr int TILE_W = 16;
constexpr int TILE_H = 8;
constexpr int MAX_R = 7;

__constant__ float filter[(2 * MAX_R + 1) * (2 * MAX_R + 1)];

__device__ __forceinline__ float pixel(const float *image, int row, int col, int h, int w) {
    if (row < 0 || row >= h) return 0.0f;
    if (col < 0 || col >= w) return 0.0f;
    return image[row * w + col];
}

__device__ inline int clamped(int value, int low, int high) { return max(low, min(value, high)); }

extern "C" __global__ void __launch_bounds__(TILE_W * TILE_H)
convolution(const float *in, float *out, int h, int w, int r, bool clamp_to_edge) {
    __shared__ float tile[TILE_H + 2 * MAX_R][TILE_W + 2 * MAX_R];
    const int col = blockIdx.x * TILE_W + threadIdx.x, row = blockIdx.y * TILE_H + threadIdx.y;

    for (int y = threadIdx.y; y < TILE_H + 2 * r; y += blockDim.y) {
        for (int x = threadIdx.x; x < TILE_W + 2 * r; x += blockDim.x) {
            int from_row = (int)(blockIdx.y * TILE_H) + y - r;
            int from_col = (int)(blockIdx.x * TILE_W) + x - r;
            if (clamp_to_edge) {
                from_row = clamped(from_row, 0, h - 1);
                from_col = clamped(from_col, 0, w - 1);
            }
            tile[y][x] = pixel(in, from_row, from_col, h, w);
        }
    }
    __syncthreads();

    if (row < h && col < w) {
        const int size = 2 * r + 1;
        float sum = 0.0f;
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                sum += tile[threadIdx.y + i][threadIdx.x + j] * filter[i * size + j];
        out[row * w + col] = sum;
    }
}
