// float and double mixed; integers convert to floating point.
__global__ void mixed(double *d, float *f, int i, float x) {
    d[0] = x * 2.0;
    f[0] = x * 2.0;
    f[1] = i / 2 + x;
    f[2] = i / 2.0f;
    f[3] = (float)i * 1e-3f;
    d[1] = i;
    d[2] = 1 / 3;
    d[3] = 1.0 / 3;
    f[4] = d[3];
}
