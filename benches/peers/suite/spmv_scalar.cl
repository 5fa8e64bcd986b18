// y = A * x for a sparse matrix in CSR, one thread per row.

kernel void spmv_scalar_for(global const int *offsets, global const int *columns, global const float *values,
                            global const float *x, global float *y, int rows) {
    int row = get_global_id(0);
    if (row < rows) {
        float sum = 0.0f;
        for (int i = offsets[row]; i < offsets[row + 1]; i++) {
            sum += values[i] * x[columns[i]];
        }
        y[row] = sum;
    }
}

kernel void spmv_scalar_while(global const int *offsets, global const int *columns, global const float *values,
                              global const float *x, global float *y, int rows) {
    for (int row = get_global_id(0); row < rows; row += get_global_size(0)) {
        int next = offsets[row];
        const int end = offsets[row + 1];
        float sum = 0.0f;
        while (next != end) {
            const int column = columns[next];
            sum = sum + values[next] * x[column];
            next++;
        }
        y[row] = sum;
    }
}
