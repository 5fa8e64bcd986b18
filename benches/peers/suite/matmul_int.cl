// c = a * b for n x n matrices of integers through tiles.

#define TILE 16

kernel void matmul_int_2d(global const int *a, global const int *b, global int *c, int n) {
    local int a_tile[TILE][TILE];
    local int b_tile[TILE][TILE];
    int row = get_global_id(1);
    int column = get_global_id(0);
    int sum = 0;
    for (int start = 0; start < n; start += TILE) {
        a_tile[get_local_id(1)][get_local_id(0)] = a[row * n + start + get_local_id(0)];
        b_tile[get_local_id(1)][get_local_id(0)] = b[(start + get_local_id(1)) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            sum += a_tile[get_local_id(1)][k] * b_tile[k][get_local_id(0)];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

#define SIDE 16

kernel void matmul_int_template(global const int *a, global const int *b, global int *c, int n) {
    local int tiles[2][SIDE][SIDE];
    const int x = get_local_id(0), y = get_local_id(1);
    global const int *from_a = a + (get_group_id(1) * SIDE + y) * n + x;
    global const int *from_b = b + y * n + get_group_id(0) * SIDE + x;
    int sum = 0;
    for (int left = n / SIDE; left > 0; left--) {
        tiles[0][y][x] = *from_a;
        tiles[1][y][x] = *from_b;
        from_a += SIDE;
        from_b += SIDE * n;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = SIDE - 1; k >= 0; k--) {
            sum += tiles[0][y][k] * tiles[1][k][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[(get_group_id(1) * SIDE + y) * n + get_group_id(0) * SIDE + x] = sum;
}
