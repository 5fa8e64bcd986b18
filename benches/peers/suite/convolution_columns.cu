// The column pass of a separable convolution of radius 8, from global memory; rows outside are those of the border.

#define RADIUS 8

__constant__ float WEIGHTS[2 * RADIUS + 1];

__global__ void convolution_columns_clamp(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int j = -RADIUS; j <= RADIUS; j++) {
        int row = min(max(y + j, 0), height - 1);
        sum += WEIGHTS[RADIUS + j] * in[row * width + x];
    }
    out[y * width + x] = sum;
}

__global__ void convolution_columns_if(const float *in, float *out, int width, int height) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int line = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < 2 * RADIUS + 1; k++) {
        int row = line - RADIUS + k;
        if (row < 0) {
            row = 0;
        } else if (row > height - 1) {
            row = height - 1;
        }
        sum = sum + in[column + row * width] * WEIGHTS[k];
    }
    out[column + line * width] = sum;
}
