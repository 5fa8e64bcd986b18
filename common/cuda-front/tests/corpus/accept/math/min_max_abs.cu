// min, max and abs over integers and floats.
__global__ void bounds(int *i, unsigned *u, float *f, long long *l) {
    i[0] = min(i[1], 5) + max(i[1], -5) + abs(i[2]);
    u[0] = min(u[1], 7u) + max(u[1], 1u);
    f[0] = min(f[1], 2.0f) + max(f[1], 0.0f) + abs(f[2]) + fabs(f[3]);
    l[0] = min(l[1], 4ll) + max(l[1], 9ll) + llabs(l[2]);
    i[3] = max(0, min(i[4], (int)blockDim.x - 1));
}
