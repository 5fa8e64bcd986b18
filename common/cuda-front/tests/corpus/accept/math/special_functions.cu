// The special functions of the math library, in both widths.
__global__ void special(double *out, const double *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i];
    float y = (float)x;
    int exponent, quotient;
    double sine, cosine, sum = 0.0;
    float single, other;
    sum += erfcx(x) + erfinv(x) + erfcinv(x) + normcdf(x) + normcdfinv(x);
    sum += erfcxf(y) + erfinvf(y) + erfcinvf(y) + normcdff(y) + normcdfinvf(y);
    sum += j0(x) + j1(x) + jn(3, x) + y0(x) + y1(x) + yn(2, x);
    sum += j0f(y) + j1f(y) + jnf(3, y) + y0f(y) + y1f(y) + ynf(2, y);
    sum += cyl_bessel_i0(x) + cyl_bessel_i1f(y) + lgamma(x) + tgammaf(y);
    sum += ldexp(x, 3) + scalbnf(y, -2) + scalbln(x, 5L) + frexp(x, &exponent) + remquo(x, 3.0, &quotient);
    sum += rhypot(x, 2.0) + norm3d(x, 1.0, 2.0) + rnorm4df(y, 1.0f, 2.0f, 3.0f) + norm(4, in) + rcbrt(x);
    sincospi(x, &sine, &cosine);
    sincospif(y, &single, &other);
    out[i] = sum + sine * cosine + single * other + exponent + quotient + nextafter(x, 1.0) + fdim(x, 1.0);
}
