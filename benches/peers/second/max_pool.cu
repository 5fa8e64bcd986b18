// Maxima of windows of 3 x 3 at every second place, channel by channel; windows reach one cell beyond the border.

__global__ void max_pool_test(const float *in, float *out, int channels, int height, int width) {
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.z * blockDim.z + threadIdx.z;
    int out_width = (width + 1) / 2, out_height = (height + 1) / 2;
    if (ox >= out_width || oy >= out_height || c >= channels) {
        return;
    }
    float most = -1e30f;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int x = 2 * ox + dx, y = 2 * oy + dy;
            if (x >= 0 && x < width && y >= 0 && y < height) {
                float value = in[(c * height + y) * width + x];
                if (value > most) {
                    most = value;
                }
            }
        }
    }
    out[(c * out_height + oy) * out_width + ox] = most;
}

// A thread per output by its number.
__global__ void max_pool_flat(const float *in, float *out, int channels, int height, int width) {
    const int out_width = (width + 1) / 2, out_height = (height + 1) / 2;
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < channels * out_height * out_width) {
        const int ox = index % out_width;
        const int oy = index / out_width % out_height;
        const int c = index / (out_width * out_height);
        const int x_begin = max(2 * ox - 1, 0), x_end = min(2 * ox + 2, width);
        const int y_begin = max(2 * oy - 1, 0), y_end = min(2 * oy + 2, height);
        const float *plane = in + c * height * width;
        float most = plane[y_begin * width + x_begin];
        for (int y = y_begin; y < y_end; ++y) {
            for (int x = x_begin; x < x_end; ++x) {
                most = fmaxf(most, plane[y * width + x]);
            }
        }
        out[index] = most;
    }
}
