// Gaussian blur of bytes, 5 x 5 binomial weights; the border is continued.

#define TILE 16
#define RADIUS 2
#define WIDE (TILE + 2 * RADIUS)

constant int WEIGHT[5][5] = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1},
};
constant uchar BINOMIAL[5] = {1, 4, 6, 4, 1};

int clamped(int value, int limit) {
    if (value < 0) {
        return 0;
    }
    return value < limit ? value : limit - 1;
}

kernel void gauss_blur_tile(global const uchar *in, global uchar *out, int width, int height) {
    local uchar tile[WIDE][WIDE];
    int x = get_group_id(0) * TILE + get_local_id(0);
    int y = get_group_id(1) * TILE + get_local_id(1);
    for (int i = get_local_id(1) * TILE + get_local_id(0); i < WIDE * WIDE; i += TILE * TILE) {
        int from_x = clamped((int)get_group_id(0) * TILE - RADIUS + i % WIDE, width);
        int from_y = clamped((int)get_group_id(1) * TILE - RADIUS + i / WIDE, height);
        tile[i / WIDE][i % WIDE] = in[from_y * width + from_x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height) {
        return;
    }
    int sum = 128;
    for (int dy = 0; dy < 5; dy++) {
        for (int dx = 0; dx < 5; dx++) {
            sum += WEIGHT[dy][dx] * tile[get_local_id(1) + dy][get_local_id(0) + dx];
        }
    }
    out[y * width + x] = sum / 256;
}

// Straight from global memory, with the weights in shared memory.
kernel void gauss_blur_direct(global const uchar *in, global uchar *out, int width, int height) {
    local int weights[25];
    const unsigned int id = get_local_id(0) + get_local_id(1) * get_local_size(0);
    if (id < 25) {
        weights[id] = BINOMIAL[id / 5] * BINOMIAL[id % 5];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    const int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    if (x < width && y < height) {
        int sum = 0;
        int k = 0;
        for (int v = y - RADIUS; v <= y + RADIUS; ++v) {
            global const uchar *row = in + min(max(v, 0), height - 1) * width;
            for (int u = x - RADIUS; u <= x + RADIUS; ++u) {
                sum += row[min(max(u, 0), width - 1)] * weights[k++];
            }
        }
        out[y * width + x] = (uchar)((sum + 128) >> 8);
    }
}
