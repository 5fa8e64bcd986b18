// out = in transposed, directly from global to global memory.

kernel void transpose_naive_2d(global const float *in, global float *out, int width, int height) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < width && y < height) {
        out[x * height + y] = in[y * width + x];
    }
}

// A thread's row and column come from one index.
kernel void transpose_naive_1d(global const float *in, global float *out, int width, int height) {
    int i = get_global_id(0);
    if (i < width * height) {
        int row = i / width;
        int column = i % width;
        out[column * height + row] = in[i];
    }
}
