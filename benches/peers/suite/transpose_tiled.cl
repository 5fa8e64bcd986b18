// out = in transposed, through padded tiles of 32 x 32; blocks of 32 x 8 threads.

#define TILE 32
#define ROWS 8

kernel void transpose_tiled_offset(global const float *in, global float *out, int width, int height) {
    local float tile[TILE][TILE + 1];
    int x = get_group_id(0) * TILE + get_local_id(0);
    int y = get_group_id(1) * TILE + get_local_id(1);
    for (int j = 0; j < TILE; j += ROWS) {
        tile[get_local_id(1) + j][get_local_id(0)] = in[(y + j) * width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    for (int j = 0; j < TILE; j += ROWS) {
        out[(y + j) * height + x] = tile[get_local_id(0)][get_local_id(1) + j];
    }
}

// A flat tile, and rows that are counted.
kernel void transpose_tiled_flat(global const float *in, global float *out, int width, int height) {
    local float tile[TILE * (TILE + 1)];
    const int tx = get_local_id(0);
    const int left = get_group_id(0) * TILE;
    const int top = get_group_id(1) * TILE;
    for (int row = get_local_id(1); row < TILE; row += ROWS) {
        tile[row * (TILE + 1) + tx] = in[(top + row) * width + (left + tx)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int column = get_local_id(1); column < TILE; column += ROWS) {
        out[(left + column) * height + (top + tx)] = tile[tx * (TILE + 1) + column];
    }
}
