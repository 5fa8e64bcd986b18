// A leapfrog step of the wave equation in two dimensions; the next state replaces the last but one. The border is fixed.

kernel void wave_2d_offset(global const float *now, global float *other, int nx, int ny, float c) {
    int x = get_group_id(0) * get_local_size(0) + get_local_id(0) + 1;
    int y = get_group_id(1) * get_local_size(1) + get_local_id(1) + 1;
    if (x < nx - 1 && y < ny - 1) {
        int i = y * nx + x;
        float laplace = now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] - 4.0f * now[i];
        other[i] = 2.0f * now[i] - other[i] + c * laplace;
    }
}

// Loops with the grid's stride.
kernel void wave_2d_stride(global const float *now, global float *other, int nx, int ny, float c) {
    for (size_t y = get_group_id(1) * get_local_size(1) + get_local_id(1) + 1; y < (size_t)ny - 1; y += get_num_groups(1) * get_local_size(1)) {
        global const float *row = now + y * nx;
        global const float *above = row - nx;
        global const float *below = row + nx;
        for (size_t x = 1 + get_group_id(0) * get_local_size(0) + get_local_id(0); x < (size_t)nx - 1; x += get_num_groups(0) * get_local_size(0)) {
            float sides = row[x - 1] + row[x + 1] + above[x] + below[x];
            float next = 2.0f * row[x] + c * (sides - 4.0f * row[x]);
            other[y * nx + x] = next - other[y * nx + x];
        }
    }
}
