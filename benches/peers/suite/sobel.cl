// Sobel's edges of an image of bytes; 0 on the border.

kernel void sobel_index(global const uchar *in, global uchar *out, int width, int height) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[y * width + x] = 0;
        return;
    }
    int gx = -in[(y - 1) * width + x - 1] + in[(y - 1) * width + x + 1] - 2 * in[y * width + x - 1] +
             2 * in[y * width + x + 1] - in[(y + 1) * width + x - 1] + in[(y + 1) * width + x + 1];
    int gy = -in[(y - 1) * width + x - 1] - 2 * in[(y - 1) * width + x] - in[(y - 1) * width + x + 1] +
             in[(y + 1) * width + x - 1] + 2 * in[(y + 1) * width + x] + in[(y + 1) * width + x + 1];
    int magnitude = abs(gx) + abs(gy);
    out[y * width + x] = magnitude > 255 ? 255 : magnitude;
}

// Weights in arrays, and loops over the window.
kernel void sobel_loops(global const uchar *in, global uchar *out, int width, int height) {
    const int across[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x < width && y < height) {
        int result = 0;
        if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
            int gx = 0;
            int gy = 0;
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    const int value = in[(y + i - 1) * width + (x + j - 1)];
                    gx += across[i][j] * value;
                    gy += across[j][i] * value;
                }
            }
            result = min((gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy), 255);
        }
        out[y * width + x] = (uchar)result;
    }
}
