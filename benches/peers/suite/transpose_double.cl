// out = in transposed in double precision, through padded tiles of 16 x 16.

#define TILE 16

kernel void transpose_double_2d(global const double *in, global double *out, int width, int height) {
    local double tile[TILE][TILE + 1];
    int x = get_group_id(0) * TILE + get_local_id(0);
    int y = get_group_id(1) * TILE + get_local_id(1);
    tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    out[y * height + x] = tile[get_local_id(0)][get_local_id(1)];
}

// The tile is written transposed and read by rows; pointers to the first elements.
kernel void transpose_double_pointer(global const double *in, global double *out, int width, int height) {
    local double tile[TILE][TILE + 1];
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    global const double *from = in + get_group_id(1) * TILE * width + get_group_id(0) * TILE;
    global double *to = out + get_group_id(0) * TILE * height + get_group_id(1) * TILE;
    tile[tx][ty] = from[ty * width + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[ty * height + tx] = tile[ty][tx];
}
