// A 5 x 5 convolution from global memory with the filter in constant memory; 0 outside the image.

#define RADIUS 2
#define SIDE (2 * RADIUS + 1)

__constant__ float FILTER[SIDE * SIDE];

__global__ void convolution_2d_nested(const float *in, float *out, int width, int height) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            int y = row + i - RADIUS;
            int x = column + j - RADIUS;
            if (y >= 0 && y < height && x >= 0 && x < width) {
                sum += FILTER[i * SIDE + j] * in[y * width + x];
            }
        }
    }
    out[row * width + column] = sum;
}

// Rows outside the image are skipped at once.
__global__ void convolution_2d_skip(const float *in, float *out, int width, int height) {
    const int x = threadIdx.x + blockIdx.x * blockDim.x;
    const int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        const float *weight = FILTER;
        for (int dy = -RADIUS; dy <= RADIUS; ++dy, weight += SIDE) {
            if (y + dy < 0 || y + dy >= height) {
                continue;
            }
            const float *line = in + (y + dy) * width;
            for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
                float value = (x + dx < 0 || x + dx >= width) ? 0.0f : line[x + dx];
                sum += value * weight[dx + RADIUS];
            }
        }
        out[x + y * width] = sum;
    }
}
