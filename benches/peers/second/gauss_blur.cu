// Gaussian blur of bytes, 5 x 5 binomial weights; the border is continued.

#define TILE 16
#define RADIUS 2
#define WIDE (TILE + 2 * RADIUS)

__constant__ int WEIGHT[5][5] = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1},
};
__constant__ unsigned char BINOMIAL[5] = {1, 4, 6, 4, 1};

__device__ int clamped(int value, int limit) {
    if (value < 0) {
        return 0;
    }
    return value < limit ? value : limit - 1;
}

__global__ void gauss_blur_tile(const unsigned char *in, unsigned char *out, int width, int height) {
    __shared__ unsigned char tile[WIDE][WIDE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < WIDE * WIDE; i += TILE * TILE) {
        int from_x = clamped((int)blockIdx.x * TILE - RADIUS + i % WIDE, width);
        int from_y = clamped((int)blockIdx.y * TILE - RADIUS + i / WIDE, height);
        tile[i / WIDE][i % WIDE] = in[from_y * width + from_x];
    }
    __syncthreads();
    if (x >= width || y >= height) {
        return;
    }
    int sum = 128;
    for (int dy = 0; dy < 5; dy++) {
        for (int dx = 0; dx < 5; dx++) {
            sum += WEIGHT[dy][dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
        }
    }
    out[y * width + x] = sum / 256;
}

// Straight from global memory, with the weights in shared memory.
__global__ void gauss_blur_direct(const unsigned char *in, unsigned char *out, int width, int height) {
    __shared__ int weights[25];
    const unsigned int id = threadIdx.x + threadIdx.y * blockDim.x;
    if (id < 25) {
        weights[id] = BINOMIAL[id / 5] * BINOMIAL[id % 5];
    }
    __syncthreads();
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int sum = 0;
        int k = 0;
        for (int v = y - RADIUS; v <= y + RADIUS; ++v) {
            const unsigned char *row = in + min(max(v, 0), height - 1) * width;
            for (int u = x - RADIUS; u <= x + RADIUS; ++u) {
                sum += row[min(max(u, 0), width - 1)] * weights[k++];
            }
        }
        out[y * width + x] = (unsigned char)((sum + 128) >> 8);
    }
}
