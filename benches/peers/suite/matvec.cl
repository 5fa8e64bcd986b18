// y = A * x for a dense matrix, one thread per row.

kernel void matvec_index(global const float *a, global const float *x, global float *y, int rows, int columns) {
    int row = get_global_id(0);
    if (row < rows) {
        float sum = 0.0f;
        for (int j = 0; j < columns; j++) {
            sum += a[row * columns + j] * x[j];
        }
        y[row] = sum;
    }
}

kernel void matvec_pointer(global const float *a, global const float *x, global float *y, int rows, int columns) {
    const int row = get_global_id(0);
    if (row >= rows) {
        return;
    }
    global const float *line = a + row * columns;
    global const float *factor = x;
    float sum = 0.0f;
    for (int left = columns; left > 0; --left) {
        sum += *line++ * *factor++;
    }
    y[row] = sum;
}
