// Pixels of three bytes to one byte of grey.

__global__ void grey_index(const unsigned char *rgb, unsigned char *grey, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int r = rgb[3 * i];
        int g = rgb[3 * i + 1];
        int b = rgb[3 * i + 2];
        grey[i] = (77 * r + 150 * g + 29 * b) >> 8;
    }
}

// Blocks of 16 x 16 pixels of an image that is 512 wide.
__global__ void grey_2d(const unsigned char *rgb, unsigned char *grey, int n) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int pixel = row * 512 + column;
    if (pixel < n) {
        const unsigned char *p = &rgb[pixel * 3];
        unsigned int sum = p[0] * 77;
        sum += p[1] * 150;
        sum += p[2] * 29;
        grey[pixel] = (unsigned char)(sum / 256);
    }
}
