// y = A * x for a sparse matrix in CSR, 32 threads per row.

// The sums of 32 work-items are added up in local memory.
kernel void spmv_vector_shuffle(global const int *offsets, global const int *columns, global const float *values,
                                global const float *x, global float *y, int rows) {
    local float sums[128];
    int t = get_local_id(0);
    int row = get_global_id(0) / 32;
    int lane = t & 31;
    float sum = 0.0f;
    if (row < rows) {
        for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32) {
            sum += values[i] * x[columns[i]];
        }
    }
    sums[t] = sum;
    for (int offset = 16; offset > 0; offset >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < offset) {
            sums[t] += sums[t + offset];
        }
    }
    if (lane == 0 && row < rows) {
        y[row] = sums[t];
    }
}

// Blocks of 32 x 4 threads, and the sums in shared memory.
kernel void spmv_vector_shared(global const int *offsets, global const int *columns, global const float *values,
                               global const float *x, global float *y, int rows) {
    local float partial[4][32];
    const int lane = get_local_id(0);
    const int row = get_group_id(0) * 4 + get_local_id(1);
    float sum = 0.0f;
    if (row < rows) {
        const int end = offsets[row + 1];
        int i = offsets[row] + lane;
        while (i < end) {
            sum += x[columns[i]] * values[i];
            i += 32;
        }
    }
    partial[get_local_id(1)][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = 16; width >= 1; width /= 2) {
        if (lane < width) {
            partial[get_local_id(1)][lane] += partial[get_local_id(1)][lane + width];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows) {
        y[row] = partial[get_local_id(1)][0];
    }
}
