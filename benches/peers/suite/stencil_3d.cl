// The 3-D seven-point stencil: six neighbours and the element itself; the border is copied.

kernel void stencil_3d_blocks(global const float *in, global float *out, int nx, int ny, int nz) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    if (x >= nx || y >= ny || z >= nz) {
        return;
    }
    int i = (z * ny + y) * nx + x;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6.0f * in[i];
    } else {
        out[i] = in[i];
    }
}

// Threads of a plane walk along z and keep three values of their column.
kernel void stencil_3d_march(global const float *in, global float *out, int nx, int ny, int nz) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= nx || y >= ny) {
        return;
    }
    const int plane = nx * ny;
    const bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    int i = y * nx + x;
    float below = in[i];
    float here = in[i + plane];
    out[i] = below;
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        float above = in[i + plane];
        float value = here;
        if (inside) {
            value = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above - 6.0f * here;
        }
        out[i] = value;
        below = here;
        here = above;
    }
    out[i + plane] = here;
}
