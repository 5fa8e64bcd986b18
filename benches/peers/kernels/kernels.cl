// The four kernels as OpenCL devices run them: kernels.cu word by word, with the same tiles and work-groups.

#define TILE 16
#define RADIUS 2
#define SIDE (TILE + 2 * RADIUS)
#define WINDOW (2 * RADIUS + 1)

kernel void matmul_tiled(global const float *restrict a, global const float *restrict b, global float *restrict c,
                         int n) {
    local float a_tile[TILE][TILE];
    local float b_tile[TILE][TILE];
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int column = get_group_id(0) * TILE + tx;
    const int row = get_group_id(1) * TILE + ty;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        a_tile[ty][tx] = a[row * n + start + tx];
        b_tile[ty][tx] = b[(start + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TILE; p++) {
            sum += a_tile[ty][p] * b_tile[p][tx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

kernel void matmul_naive(global const float *restrict a, global const float *restrict b, global float *restrict c,
                         int n) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    float sum = 0.0f;
    for (int p = 0; p < n; p++) {
        sum += a[row * n + p] * b[p * n + column];
    }
    c[row * n + column] = sum;
}

kernel void convolution(global const float *restrict in, constant float *restrict filter, global float *restrict out,
                        int n) {
    local float tile[SIDE][SIDE];
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int first_row = (int)get_group_id(1) * TILE - RADIUS;
    const int first_column = (int)get_group_id(0) * TILE - RADIUS;
    for (int t = ty * TILE + tx; t < SIDE * SIDE; t += TILE * TILE) {
        const int i = t / SIDE;
        const int j = t - i * SIDE;
        const int row = first_row + i;
        const int column = first_column + j;
        const bool inside = row >= 0 && row < n && column >= 0 && column < n;
        tile[i][j] = inside ? in[row * n + column] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int i = 0; i < WINDOW; i++) {
        for (int j = 0; j < WINDOW; j++) {
            sum += filter[i * WINDOW + j] * tile[ty + i][tx + j];
        }
    }
    out[((int)get_group_id(1) * TILE + ty) * n + (int)get_group_id(0) * TILE + tx] = sum;
}

kernel void transpose(global const float *restrict in, global float *restrict out, int n) {
    local float tile[32][33];
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int block_x = get_group_id(0);
    const int block_y = get_group_id(1);
    for (int i = ty; i < 32; i += 8) {
        tile[i][tx] = in[(block_y * 32 + i) * n + block_x * 32 + tx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = ty; i < 32; i += 8) {
        out[(block_x * 32 + i) * n + block_y * 32 + tx] = tile[tx][i];
    }
}
