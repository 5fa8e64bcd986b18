// c = a * b for n x n matrices in double precision.

kernel void matmul_double_2d(global const double *a, global const double *b, global double *c, int n) {
    int row = get_global_id(1);
    int column = get_global_id(0);
    if (row < n && column < n) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

// Row and column come from one index.
kernel void matmul_double_1d(global const double *a, global const double *b, global double *c, int n) {
    int i = get_global_id(0);
    if (i < n * n) {
        int row = i / n;
        int column = i % n;
        double sum = 0.0;
        for (int k = 0; k != n; ++k) {
            sum = a[n * row + k] * b[n * k + column] + sum;
        }
        c[i] = sum;
    }
}
