// Pixels of three bytes to one byte of grey.

kernel void grey_index(global const uchar *rgb, global uchar *grey, int n) {
    int i = get_global_id(0);
    if (i < n) {
        int r = rgb[3 * i];
        int g = rgb[3 * i + 1];
        int b = rgb[3 * i + 2];
        grey[i] = (77 * r + 150 * g + 29 * b) >> 8;
    }
}

// Blocks of 16 x 16 pixels of an image that is 512 wide.
kernel void grey_2d(global const uchar *rgb, global uchar *grey, int n) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    const int pixel = row * 512 + column;
    if (pixel < n) {
        global const uchar *p = &rgb[pixel * 3];
        uint sum = p[0] * 77;
        sum += p[1] * 150;
        sum += p[2] * 29;
        grey[pixel] = (uchar)(sum / 256);
    }
}
