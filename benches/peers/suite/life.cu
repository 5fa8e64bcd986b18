// A step of Conway's game of life on a torus, one byte per cell.

__global__ void life_modulo(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int neighbours = 0;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                if (dx != 0 || dy != 0) {
                    neighbours += in[(y + dy + height) % height * width + (x + dx + width) % width];
                }
            }
        }
        out[y * width + x] = neighbours == 3 || (neighbours == 2 && in[y * width + x]);
    }
}

__global__ void life_rows(const unsigned char *in, unsigned char *out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int left = x == 0 ? width - 1 : x - 1;
    const int right = x == width - 1 ? 0 : x + 1;
    const unsigned char *above = in + (y == 0 ? height - 1 : y - 1) * width;
    const unsigned char *here = in + y * width;
    const unsigned char *below = in + (y == height - 1 ? 0 : y + 1) * width;
    const int neighbours = above[left] + above[x] + above[right] + here[left] + here[right] + below[left] + below[x] +
                           below[right];
    if (neighbours == 3) {
        out[y * width + x] = 1;
    } else if (neighbours == 2) {
        out[y * width + x] = here[x];
    } else {
        out[y * width + x] = 0;
    }
}
