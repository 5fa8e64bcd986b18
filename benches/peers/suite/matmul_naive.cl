// c = a * b for n x n matrices, one element per thread.

kernel void matmul_naive_index(global const float *a, global const float *b, global float *c, int n) {
    int row = get_global_id(1);
    int column = get_global_id(0);
    if (row < n && column < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

kernel void matmul_naive_pointer(global const float *a, global const float *b, global float *c, int n) {
    int row = get_global_id(1);
    int column = get_global_id(0);
    global const float *pa = a + row * n;
    global const float *pb = b + column;
    global const float *end = pa + n;
    float sum = 0.0f;
    while (pa < end) {
        sum += *pa * *pb;
        pa++;
        pb += n;
    }
    *(c + row * n + column) = sum;
}
