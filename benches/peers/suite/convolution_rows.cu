// The row pass of a separable convolution of radius 8 through tiles of 128 x 4 with halos; 0 outside the image.

#define RADIUS 8
#define COLUMNS 128
#define ROWS 4

__constant__ float WEIGHTS[2 * RADIUS + 1];

__global__ void convolution_rows_2d(const float *in, float *out, int width) {
    __shared__ float tile[ROWS][COLUMNS + 2 * RADIUS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * COLUMNS + tx;
    int y = blockIdx.y * ROWS + ty;
    tile[ty][tx + RADIUS] = in[y * width + x];
    if (tx < RADIUS) {
        tile[ty][tx] = (x >= RADIUS) ? in[y * width + x - RADIUS] : 0.0f;
        tile[ty][tx + RADIUS + COLUMNS] = (x + COLUMNS < width) ? in[y * width + x + COLUMNS] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int j = -RADIUS; j <= RADIUS; j++) {
        sum += WEIGHTS[RADIUS - j] * tile[ty][tx + RADIUS + j];
    }
    out[y * width + x] = sum;
}

// The tile is loaded in turns.
__global__ void convolution_rows_turns(const float *in, float *out, int width) {
    __shared__ float tile[ROWS][COLUMNS + 2 * RADIUS];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int left = (int)blockIdx.x * COLUMNS - RADIUS;
    const float *row = in + (blockIdx.y * ROWS + ty) * width;
    for (int i = tx; i < COLUMNS + 2 * RADIUS; i += COLUMNS) {
        const int x = left + i;
        float value = 0.0f;
        if (x >= 0 && x < width) {
            value = row[x];
        }
        tile[ty][i] = value;
    }
    __syncthreads();
    const float *window = &tile[ty][tx];
    float sum = 0.0f;
    int k = 0;
    while (k <= 2 * RADIUS) {
        sum += window[k] * WEIGHTS[2 * RADIUS - k];
        ++k;
    }
    out[(blockIdx.y * ROWS + ty) * width + blockIdx.x * COLUMNS + tx] = sum;
}
