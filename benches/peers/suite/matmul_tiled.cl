// c = a * b for n x n matrices through tiles of 16 x 16.

#define TILE 16

kernel void matmul_tiled_2d(global const float *a, global const float *b, global float *c, int n) {
    local float a_tile[TILE][TILE];
    local float b_tile[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = get_group_id(1) * TILE + ty;
    int column = get_group_id(0) * TILE + tx;
    float sum = 0.0f;
    for (int m = 0; m < n / TILE; ++m) {
        a_tile[ty][tx] = a[row * n + m * TILE + tx];
        b_tile[ty][tx] = b[(m * TILE + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k) {
            sum += a_tile[ty][k] * b_tile[k][tx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// The NVIDIA sample's steps: begin, end and step of both matrices; flat tiles.
kernel void matmul_tiled_steps(global const float *a, global const float *b, global float *c, int n) {
    local float a_tile[TILE * TILE];
    local float b_tile[TILE * TILE];
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int a_begin = n * TILE * get_group_id(1);
    const int a_end = a_begin + n - 1;
    const int b_begin = TILE * get_group_id(0);
    const int b_step = TILE * n;
    float sum = 0.0f;
    for (int ai = a_begin, bi = b_begin; ai <= a_end; ai += TILE, bi += b_step) {
        a_tile[ty * TILE + tx] = a[ai + n * ty + tx];
        b_tile[ty * TILE + tx] = b[bi + n * ty + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            sum = a_tile[ty * TILE + k] * b_tile[k * TILE + tx] + sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[a_begin + b_begin + n * ty + tx] = sum;
}
