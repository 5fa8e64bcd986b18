// BiCG's two products: s = A' r by columns and q = A p by rows; a thread per index.

kernel void bicg_guarded(global const float *a, global const float *r, global const float *p, global float *s, global float *q, int n) {
    int t = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (t < n) {
        float column = 0.0f;
        for (int i = 0; i < n; i++) {
            column += r[i] * a[i * n + t];
        }
        s[t] = column;
        float row = 0.0f;
        for (int j = 0; j < n; j++) {
            row += a[t * n + j] * p[j];
        }
        q[t] = row;
    }
}

// Pointers that advance, and sums in global memory as in PolyBench.
kernel void bicg_pointer(global const float *a, global const float *r, global const float *p, global float *s, global float *q, int n) {
    const int t = get_local_id(0) + get_local_size(0) * get_group_id(0);
    if (t >= n) {
        return;
    }
    s[t] = 0.0f;
    global const float *down = a + t;
    global const float *end = r + n;
    while (r != end) {
        s[t] += *down * *r++;
        down += n;
    }
    q[t] = 0.0f;
    global const float *along = a + (size_t)t * n;
    int left = n;
    while (left-- > 0) {
        q[t] += *along++ * *p++;
    }
}
