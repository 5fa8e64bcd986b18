// Maxima of windows of 3 x 3 at every second place, channel by channel; windows reach one cell beyond the border.

kernel void max_pool_test(global const float *in, global float *out, int channels, int height, int width) {
    int ox = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int oy = get_group_id(1) * get_local_size(1) + get_local_id(1);
    int c = get_group_id(2) * get_local_size(2) + get_local_id(2);
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
kernel void max_pool_flat(global const float *in, global float *out, int channels, int height, int width) {
    const int out_width = (width + 1) / 2, out_height = (height + 1) / 2;
    const int index = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (index < channels * out_height * out_width) {
        const int ox = index % out_width;
        const int oy = index / out_width % out_height;
        const int c = index / (out_width * out_height);
        const int x_begin = max(2 * ox - 1, 0), x_end = min(2 * ox + 2, width);
        const int y_begin = max(2 * oy - 1, 0), y_end = min(2 * oy + 2, height);
        global const float *plane = in + c * height * width;
        float most = plane[y_begin * width + x_begin];
        for (int y = y_begin; y < y_end; ++y) {
            for (int x = x_begin; x < x_end; ++x) {
                most = fmax(most, plane[y * width + x]);
            }
        }
        out[index] = most;
    }
}
