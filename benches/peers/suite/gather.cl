// out[i] = in[index[i]], with indices in no order.

kernel void gather_1d(global const float *in, global const int *index, global float *out, int n) {
    int i = get_global_id(0);
    if (i < n) {
        out[i] = in[index[i]];
    }
}

// The same with blocks of 32 x 8 threads.
kernel void gather_2d(global const float *in, global const int *index, global float *out, int n) {
    int thread = get_local_id(1) * get_local_size(0) + get_local_id(0);
    int i = get_group_id(0) * (get_local_size(0) * get_local_size(1)) + thread;
    if (i < n) {
        int from = index[i];
        out[i] = in[from];
    }
}
