// The row pass of a separable convolution of radius 8 through tiles of 128 x 4 with halos; 0 outside the image.

#define RADIUS 8
#define COLUMNS 128
#define ROWS 4

kernel void convolution_rows_2d(global const float *in, constant float *WEIGHTS, global float *out, int width) {
    local float tile[ROWS][COLUMNS + 2 * RADIUS];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * COLUMNS + tx;
    int y = get_group_id(1) * ROWS + ty;
    tile[ty][tx + RADIUS] = in[y * width + x];
    if (tx < RADIUS) {
        tile[ty][tx] = (x >= RADIUS) ? in[y * width + x - RADIUS] : 0.0f;
        tile[ty][tx + RADIUS + COLUMNS] = (x + COLUMNS < width) ? in[y * width + x + COLUMNS] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int j = -RADIUS; j <= RADIUS; j++) {
        sum += WEIGHTS[RADIUS - j] * tile[ty][tx + RADIUS + j];
    }
    out[y * width + x] = sum;
}

// The tile is loaded in turns.
kernel void convolution_rows_turns(global const float *in, constant float *WEIGHTS, global float *out, int width) {
    local float tile[ROWS][COLUMNS + 2 * RADIUS];
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int left = (int)get_group_id(0) * COLUMNS - RADIUS;
    global const float *row = in + (get_group_id(1) * ROWS + ty) * width;
    for (int i = tx; i < COLUMNS + 2 * RADIUS; i += COLUMNS) {
        const int x = left + i;
        float value = 0.0f;
        if (x >= 0 && x < width) {
            value = row[x];
        }
        tile[ty][i] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    local const float *window = &tile[ty][tx];
    float sum = 0.0f;
    int k = 0;
    while (k <= 2 * RADIUS) {
        sum += window[k] * WEIGHTS[2 * RADIUS - k];
        ++k;
    }
    out[(get_group_id(1) * ROWS + ty) * width + get_group_id(0) * COLUMNS + tx] = sum;
}
