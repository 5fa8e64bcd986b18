__global__ void k(float *out, unsigned u, int n) {
    float x = out[0] * 0.5;
    float half = 1 / 2;
    if (u < 0) return;
    if (u >= 0) x = 1;
    if (n = 1) x = 2;
    n == 2;
    int never;
    out[1] = never;
    float a[4];
    a[4] = 1;
    out[2] = half + x + n / 0;
    for (int i = 0; i < n; ++i) {
        int inside;
        if (i) inside = 1;
        out[i] = inside;
    }
}
