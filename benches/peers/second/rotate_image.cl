// An image of bytes turned around its middle, nearest neighbours; 0 where there is nothing to take.

kernel void rotate_image_2d(global const uchar *in, global uchar *out, int width, int height, float cosine,
                        float sine) {
    int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    if (x >= width || y >= height) {
        return;
    }
    float middle_x = 0.5f * width, middle_y = 0.5f * height;
    float dx = x - middle_x, dy = y - middle_y;
    int from_x = (int)floor(cosine * dx + sine * dy + middle_x + 0.5f);
    int from_y = (int)floor(cosine * dy - sine * dx + middle_y + 0.5f);
    if (from_x >= 0 && from_x < width && from_y >= 0 && from_y < height) {
        out[y * width + x] = in[from_y * width + from_x];
    } else {
        out[y * width + x] = 0;
    }
}

// A loop over all pixels with the grid's stride.
kernel void rotate_image_stride(global const uchar *in, global uchar *out, int width, int height, float cosine,
                            float sine) {
    const unsigned int total = width * height;
    for (unsigned int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < total; i += get_local_size(0) * get_num_groups(0)) {
        const float dx = (float)(i % width) - width / 2.0f;
        const float dy = (float)(i / width) - height / 2.0f;
        const int u = floor(dx * cosine + dy * sine + (width + 1) / 2.0f);
        const int v = floor(dy * cosine - dx * sine + (height + 1) / 2.0f);
        const bool inside = (unsigned int)u < (unsigned int)width && (unsigned int)v < (unsigned int)height;
        out[i] = inside ? in[v * width + u] : 0;
    }
}
