// Neighbours: a line with halo, a convolution of images, a game of life on a torus.
#define RADIUS 3
#define BLOCK_SIZE 128
#define MASK_WIDTH 5

__global__ void stencil_1d(const int *in, int *out, int n) {
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x;
    int l = threadIdx.x + RADIUS;
    temp[l] = g < n ? in[g] : 0;
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = g - RADIUS >= 0 && g - RADIUS < n ? in[g - RADIUS] : 0;
        temp[l + BLOCK_SIZE] = g + BLOCK_SIZE < n ? in[g + BLOCK_SIZE] : 0;
    }
    __syncthreads();
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[l + offset];
    if (g < n) out[g] = result;
}

__constant__ float mask[MASK_WIDTH][MASK_WIDTH];

// The block loads its tile and halo together; border pixels repeat.
template <int TILE>
__device__ __forceinline__ int clamped(int i, int n) {
    static_assert(TILE > 0, "a tile has pixels");
    return min(max(i, 0), n - 1);
}

__global__ void convolution_2d(const float *in, float *out, int width, int height) {
    constexpr int TILE = 16, HALO = MASK_WIDTH / 2, SIDE = TILE + 2 * HALO;
    __shared__ float tile[SIDE][SIDE];
    const int x0 = blockIdx.x * TILE - HALO, y0 = blockIdx.y * TILE - HALO;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < SIDE * SIDE; i += blockDim.x * blockDim.y) {
        tile[i / SIDE][i % SIDE] = in[clamped<TILE>(y0 + i / SIDE, height) * width + clamped<TILE>(x0 + i % SIDE, width)];
    }
    __syncthreads();
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < MASK_WIDTH; i++)
        for (int j = 0; j < MASK_WIDTH; j++) sum += mask[i][j] * tile[threadIdx.y + i][threadIdx.x + j];
    out[y * width + x] = sum;
}

__global__ void life(const unsigned char *now, unsigned char *next, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0) continue;
            alive += now[(y + dy + height) % height * width + (x + dx + width) % width];
        }
    }
    bool self = now[y * width + x] != 0;
    next[y * width + x] = alive == 3 || (self && alive == 2);
}
