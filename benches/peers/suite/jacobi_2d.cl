// A step of Jacobi's method: the mean of the four neighbours inside, the same value on the border.

kernel void jacobi_2d_index(global const float *in, global float *out, int width, int height) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] + in[(y - 1) * width + x] +
                                      in[(y + 1) * width + x]);
    } else if (x < width && y < height) {
        out[y * width + x] = in[y * width + x];
    }
}

kernel void jacobi_2d_pointer(global const float *in, global float *out, int width, int height) {
    const int column = get_local_id(0) + get_group_id(0) * get_local_size(0);
    const int row = get_local_id(1) + get_group_id(1) * get_local_size(1);
    if (column >= width || row >= height) {
        return;
    }
    global const float *p = in + column + width * row;
    float value = *p;
    if (!(column == 0 || row == 0 || column == width - 1 || row == height - 1)) {
        value = (p[-1] + p[1] + p[-width] + p[width]) / 4.0f;
    }
    out[column + width * row] = value;
}
