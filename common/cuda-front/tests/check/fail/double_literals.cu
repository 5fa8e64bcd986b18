__device__ float narrow(float x) { return x; }
__global__ void k(double *d, float *f, float x) {
    f[0] = x * 0.5;
    d[0] = narrow(x * 1.5) + 1.0;
    if (x * 2.5 > 1.0f) f[1] = 0.0f;
}
