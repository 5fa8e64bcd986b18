// Erosion: the least byte of each 5 x 5 window, through tiles of 32 x 8 with halos; 255 outside the image.

#define R 2
#define BX 32
#define BY 8

kernel void erosion_loops(global const uchar *in, global uchar *out, int width, int height) {
    local uchar tile[BY + 2 * R][BX + 2 * R];
    int left = (int)(get_group_id(0) * BX) - R;
    int top = (int)(get_group_id(1) * BY) - R;
    for (int j = get_local_id(1); j < BY + 2 * R; j += BY) {
        for (int i = get_local_id(0); i < BX + 2 * R; i += BX) {
            int x = left + i, y = top + j;
            bool inside = x >= 0 && x < width && y >= 0 && y < height;
            tile[j][i] = inside ? in[y * width + x] : 255;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_group_id(0) * BX + get_local_id(0);
    int y = get_group_id(1) * BY + get_local_id(1);
    if (x < width && y < height) {
        uchar least = 255;
        for (int j = 0; j <= 2 * R; j++) {
            for (int i = 0; i <= 2 * R; i++) {
                uchar value = tile[get_local_id(1) + j][get_local_id(0) + i];
                least = value < least ? value : least;
            }
        }
        out[y * width + x] = least;
    }
}

int pixel(global const uchar *in, int x, int y, int width, int height) {
    if (x < 0 || y < 0 || x >= width || y >= height)
        return 255;
    return in[x + y * width];
}

// Rows first, and then columns, in place in a flat tile.
kernel void erosion_separable(global const uchar *in, global uchar *out, int width, int height) {
    local int tile[(BX + 2 * R) * (BY + 2 * R)];
    const int pitch = BX + 2 * R;
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int x = get_group_id(0) * get_local_size(0) + tx;
    const int y = get_group_id(1) * get_local_size(1) + ty;
    tile[(ty + R) * pitch + tx + R] = pixel(in, x, y, width, height);
    if (ty < R) {
        tile[ty * pitch + tx + R] = pixel(in, x, y - R, width, height);
        tile[(ty + BY + R) * pitch + tx + R] = pixel(in, x, y + BY, width, height);
    }
    if (tx < R) {
        tile[(ty + R) * pitch + tx] = pixel(in, x - R, y, width, height);
        tile[(ty + R) * pitch + tx + BX + R] = pixel(in, x + BX, y, width, height);
    }
    if (tx < R && ty < R) {
        tile[ty * pitch + tx] = pixel(in, x - R, y - R, width, height);
        tile[ty * pitch + tx + BX + R] = pixel(in, x + BX, y - R, width, height);
        tile[(ty + BY + R) * pitch + tx] = pixel(in, x - R, y + BY, width, height);
        tile[(ty + BY + R) * pitch + tx + BX + R] = pixel(in, x + BX, y + BY, width, height);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int upper = 255, lower = 255;
    for (int i = 0; i < 5; i++) {
        upper = min(upper, tile[ty * pitch + tx + i]);
        if (ty < 2 * R) {
            lower = min(lower, tile[(ty + BY) * pitch + tx + i]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[ty * pitch + tx] = upper;
    if (ty < 2 * R) {
        tile[(ty + BY) * pitch + tx] = lower;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height)
        return;
    local const int *window = tile + ty * pitch + tx;
    int least = window[0];
    int i = 1;
    while (i < 5) {
        least = min(least, window[i * pitch]);
        i++;
    }
    out[y * width + x] = least;
}
