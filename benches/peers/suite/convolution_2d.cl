// A 5 x 5 convolution from global memory with the filter in constant memory; 0 outside the image.

#define RADIUS 2
#define SIDE (2 * RADIUS + 1)

kernel void convolution_2d_nested(global const float *in, constant float *FILTER, global float *out, int width,
                                  int height) {
    int column = get_global_id(0);
    int row = get_global_id(1);
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
kernel void convolution_2d_skip(global const float *in, constant float *FILTER, global float *out, int width,
                                int height) {
    const int x = get_local_id(0) + get_group_id(0) * get_local_size(0);
    const int y = get_local_id(1) + get_group_id(1) * get_local_size(1);
    if (x < width && y < height) {
        float sum = 0.0f;
        constant const float *weight = FILTER;
        for (int dy = -RADIUS; dy <= RADIUS; ++dy, weight += SIDE) {
            if (y + dy < 0 || y + dy >= height) {
                continue;
            }
            global const float *line = in + (y + dy) * width;
            for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
                float value = (x + dx < 0 || x + dx >= width) ? 0.0f : line[x + dx];
                sum += value * weight[dx + RADIUS];
            }
        }
        out[x + y * width] = sum;
    }
}
