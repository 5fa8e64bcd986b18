// How often each byte occurs, counted in global memory.

kernel void histogram_global_one(global const uchar *data, global int *bins, int n) {
    int i = get_global_id(0);
    if (i < n) {
        atomic_add(&bins[data[i]], 1);
    }
}

kernel void histogram_global_loop(global const uchar *data, global int *bins, int n) {
    int stride = get_global_size(0);
    for (int i = get_global_id(0); i < n; i += stride) {
        uchar value = data[i];
        atomic_add(bins + value, 1);
    }
}
