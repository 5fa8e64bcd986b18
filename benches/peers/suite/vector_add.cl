// c = a + b, one element per thread.

kernel void vector_add_guarded(global const float *a, global const float *b, global float *c, int n) {
    int i = get_global_id(0);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// The grid has exactly as many threads as there are elements.
kernel void vector_add_unguarded(global const float *a, global const float *b, global float *c, int n) {
    const int index = get_local_id(0) + get_group_id(0) * get_local_size(0);
    float sum = a[index];
    sum += b[index];
    c[index] = sum;
}
