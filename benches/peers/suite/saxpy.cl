// y = a * x + y, several elements per thread, a grid apart.

kernel void saxpy_for(int n, float a, global const float *x, global float *y) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        y[i] = a * x[i] + y[i];
    }
}

kernel void saxpy_while(int n, float a, global const float *x, global float *y) {
    int i = get_global_id(0);
    int stride = get_global_size(0);
    while (i < n) {
        y[i] += a * x[i];
        i += stride;
    }
}
