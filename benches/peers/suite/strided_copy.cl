// Every so many elements of the input.

kernel void strided_copy_index(global const float *in, global float *out, int n, int stride) {
    int i = get_global_id(0);
    if (i < n) {
        out[i] = in[i * stride];
    }
}

kernel void strided_copy_pointer(global const float *in, global float *out, int n, int stride) {
    int i = get_global_id(0);
    global const float *from = in + stride * i;
    global float *to = out + i;
    if (to < out + n) {
        *to = *from;
    }
}
