// A step of Jacobi's method: the mean of the four neighbours inside, the same value on the border.

__global__ void jacobi_2d_index(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] + in[(y - 1) * width + x] +
                                      in[(y + 1) * width + x]);
    } else if (x < width && y < height) {
        out[y * width + x] = in[y * width + x];
    }
}

__global__ void jacobi_2d_pointer(const float *in, float *out, int width, int height) {
    const int column = threadIdx.x + blockIdx.x * blockDim.x;
    const int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (column >= width || row >= height) {
        return;
    }
    const float *p = in + column + width * row;
    float value = *p;
    if (!(column == 0 || row == 0 || column == width - 1 || row == height - 1)) {
        value = (p[-1] + p[1] + p[-width] + p[width]) / 4.0f;
    }
    out[column + width * row] = value;
}
