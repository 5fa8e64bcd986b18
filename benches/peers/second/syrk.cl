// The lower triangle of C = alpha A A' + beta C, where A is n x m.

kernel void syrk_2d(global const float *a, global float *c, int n, int m, float alpha, float beta) {
    int j = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int i = get_group_id(1) * get_local_size(1) + get_local_id(1);
    if (i < n && j <= i) {
        float value = beta * c[i * n + j];
        for (int k = 0; k < m; k++) {
            value += alpha * a[i * m + k] * a[j * m + k];
        }
        c[i * n + j] = value;
    }
}

// A block per row.
kernel void syrk_rows(global const float *a, global float *c, int n, int m, float alpha, float beta) {
    const int i = get_group_id(0);
    global const float *left = a + i * m;
    for (int j = get_local_id(0); j <= i; j += get_local_size(0)) {
        global const float *right = a + j * m;
        float sum = 0.0f;
        int k = m;
        do {
            --k;
            sum += left[k] * right[k];
        } while (k > 0);
        c[i * n + j] *= beta;
        c[i * n + j] += alpha * sum;
    }
}
