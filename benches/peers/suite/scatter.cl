// out[position[i]] = in[i], where each position appears once.

kernel void scatter_one(global const float *in, global const int *position, global float *out, int n) {
    int i = get_global_id(0);
    if (i < n) {
        out[position[i]] = in[i];
    }
}

kernel void scatter_loop(global const float *in, global const int *position, global float *out, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        const float value = in[i];
        const int to = position[i];
        out[to] = value;
    }
}
