// A step of an LU decomposition without pivots: rows below k are eliminated; their column k holds the factors.

kernel void lu_step_2d(global float *a, int n, int k) {
    int j = get_global_id(0);
    int i = get_global_id(1);
    if (i > k && i < n && j > k && j < n) {
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

// A block per row.
kernel void lu_step_rows(global float *a, int n, int k) {
    const int row = k + 1 + get_group_id(0);
    if (row >= n) {
        return;
    }
    global float *mine = a + row * n;
    global const float *pivot = a + k * n;
    const float factor = mine[k];
    for (int column = k + 1 + get_local_id(0); column < n; column += get_local_size(0)) {
        mine[column] = mine[column] - factor * pivot[column];
    }
}
