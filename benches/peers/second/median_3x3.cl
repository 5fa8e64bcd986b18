// The median of each 3 x 3 window of bytes; the border is copied.

kernel void median_3x3_array(global const uchar *in, global uchar *out, int width, int height) {
    int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    if (x >= width || y >= height) {
        return;
    }
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[y * width + x] = in[y * width + x];
        return;
    }
    uchar window[9];
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            window[dy * 3 + dx] = in[(y + dy - 1) * width + x + dx - 1];
        }
    }
    for (int i = 0; i < 5; i++) {
        int least = i;
        for (int j = i + 1; j < 9; j++) {
            if (window[j] < window[least]) {
                least = j;
            }
        }
        uchar exchanged = window[i];
        window[i] = window[least];
        window[least] = exchanged;
    }
    out[y * width + x] = window[4];
}

#define SORT(a, b)           \
    {                        \
        int low = min(a, b); \
        b = max(a, b);       \
        a = low;             \
    }

// A sorting network that stops at the median.
kernel void median_3x3_network(global const uchar *in, global uchar *out, int width, int height) {
    const int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    const int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    const int at = y * width + x;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        global const uchar *above = in + at - width, *same = in + at, *below = in + at + width;
        int a = above[-1], b = above[0], c = above[1];
        int d = same[-1], e = same[0], f = same[1];
        int g = below[-1], h = below[0], i = below[1];
        SORT(b, c) SORT(e, f) SORT(h, i)
        SORT(a, b) SORT(d, e) SORT(g, h)
        SORT(b, c) SORT(e, f) SORT(h, i)
        d = max(a, d);
        f = min(f, i);
        SORT(e, h)
        g = max(d, g);
        e = max(b, e);
        c = min(c, f);
        e = min(e, h);
        SORT(e, c)
        e = max(g, e);
        out[at] = min(e, c);
    } else if (x < width && y < height) {
        out[at] = in[at];
    }
}
