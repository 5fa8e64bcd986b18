// Products of many pairs of matrices of 8 x 8.

#define N 8

kernel void batch_matmul_3d(global const float *a, global const float *b, global float *c, int batch) {
    int column = get_local_id(0);
    int row = get_local_id(1);
    int m = get_group_id(0) * get_local_size(2) + get_local_id(2);
    if (m < batch) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += a[(m * N + row) * N + k] * b[(m * N + k) * N + column];
        }
        c[(m * N + row) * N + column] = sum;
    }
}

// Four matrices per block, through shared memory.
kernel void batch_matmul_shared(global const float *a, global const float *b, global float *c, int batch) {
    local float as[4][N * N];
    local float bs[4][N * N];
    const unsigned int t = get_local_id(0);
    const unsigned int which = t / (N * N);
    const unsigned int element = t % (N * N);
    const unsigned int at = get_group_id(0) * 4 * N * N + t;
    const unsigned int end = (unsigned int)batch * N * N;
    as[which][element] = at < end ? a[at] : 0.0f;
    bs[which][element] = at < end ? b[at] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    local const float *left = as[which] + (element & ~7u);
    local const float *right = bs[which] + (element & 7u);
    float sum = 0.0f;
    for (unsigned int k = 0; k < N; ++k, right += N) {
        sum += *left++ * *right;
    }
    if (at >= end)
        return;
    c[at] = sum;
}
