// Pixels of three bytes to a plane each of Y, U and V.

__global__ void rgb_to_yuv_index(const unsigned char *rgb, unsigned char *ys, unsigned char *us, unsigned char *vs,
                         int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    ys[i] = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    us[i] = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    vs[i] = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
}

__device__ unsigned char mix(int r, int g, int b, int shift) {
    return (unsigned char)(((r + g + b + 128) >> 8) + shift);
}

// A loop with the grid's stride.
__global__ void rgb_to_yuv_stride(const unsigned char *rgb, unsigned char *ys, unsigned char *us,
                          unsigned char *vs, int n) {
    const size_t step = (size_t)blockDim.x * gridDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    while (i < (size_t)n) {
        const unsigned char *pixel = rgb + i * 3;
        const int r = *pixel++;
        const int g = *pixel++;
        const int b = *pixel;
        ys[i] = mix(r * 66, g * 129, b * 25, 16);
        us[i] = mix(r * -38, g * -74, b * 112, 128);
        vs[i] = mix(r * 112, g * -94, b * -18, 128);
        i += step;
    }
}
