// The same names without f, for float and for double, and through std::.
#include <cmath>
__global__ void doubles(double *d, float *f, float x, double y) {
    d[0] = sqrt(y) + exp(y) + log(y) + sin(y) + cos(y) + pow(y, 2.0) + fabs(y) + floor(y);
    f[0] = sqrt(x) + exp(x) + log(x) + sin(x) + cos(x) + fabs(x) + floor(x) + ceil(x);
    d[1] = fma(y, y, 1.0) + fmin(y, 2.0) + fmax(y, 0.0) + tanh(y) + atan2(y, 1.0) + rsqrt(y);
    f[1] = fma(x, x, 1.0f) + pow(x, 3) + pow(x, 0.5f);
    sincos(y, &d[2], &d[3]);
}
