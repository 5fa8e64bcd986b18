// grade: lab-7/shared
#define TILE_X 32
#define TILE_Y 16
__global__ void transpose_shared(const float *__restrict__ in, float *__restrict__ out, int height, int width) {
    __shared__ float tile[TILE_Y][TILE_X];
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x < width && y <= height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    int t = threadIdx.y * TILE_X + threadIdx.x;
    int row = blockIdx.x * TILE_X + t / TILE_Y, column = blockIdx.y * TILE_Y + t % TILE_Y;
    if (row < width && column < height) out[row * height + column] = tile[t % TILE_Y][t / TILE_Y];
}
