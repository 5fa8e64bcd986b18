// Functions that few kernels need.
__global__ void rare(float *o, double *d, float x, int n) {
    int e;
    float whole;
    o[0] = asinhf(x) + acoshf(x) + atanhf(x) + remainderf(x, 2.0f) + lgammaf(x) + tgammaf(x);
    o[1] = frexpf(x, &e) + ldexpf(x, n) + scalbnf(x, n) + ilogbf(x) + logbf(x) + nextafterf(x, 2.0f) + e;
    o[2] = modff(x, &whole) + whole + normcdff(x) + erfinvf(x) + erfcxf(x) + j0f(x) + norm3df(x, x, x) + rnorm3df(x, x, x);
    d[0] = lgamma((double)x) + tgamma((double)x) + remainder(d[1], 2.0) + asinh(d[1]);
}
