// Pixels of three bytes to a plane each of Y, U and V.

kernel void rgb_to_yuv_index(global const uchar *rgb, global uchar *ys, global uchar *us, global uchar *vs,
                         int n) {
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i >= n) {
        return;
    }
    int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    ys[i] = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    us[i] = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    vs[i] = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
}

uchar mix(int r, int g, int b, int shift) {
    return (uchar)(((r + g + b + 128) >> 8) + shift);
}

// A loop with the grid's stride.
kernel void rgb_to_yuv_stride(global const uchar *rgb, global uchar *ys, global uchar *us,
                          global uchar *vs, int n) {
    const size_t step = (size_t)get_local_size(0) * get_num_groups(0);
    size_t i = (size_t)get_group_id(0) * get_local_size(0) + get_local_id(0);
    while (i < (size_t)n) {
        global const uchar *pixel = rgb + i * 3;
        const int r = *pixel++;
        const int g = *pixel++;
        const int b = *pixel;
        ys[i] = mix(r * 66, g * 129, b * 25, 16);
        us[i] = mix(r * -38, g * -74, b * 112, 128);
        vs[i] = mix(r * 112, g * -94, b * -18, 128);
        i += step;
    }
}
