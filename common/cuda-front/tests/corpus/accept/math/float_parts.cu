// Functions that take a floating number apart, and neighbours of one.
__global__ void parts(float *o, double *d, float x, double y) {
    int e;
    float whole;
    double all;
    o[0] = frexpf(x, &e) + ilogbf(x) + logbf(x) + nextafterf(x, 2.0f) + e;
    o[1] = modff(x, &whole) + whole + erfinvf(x);
    d[0] = frexp(y, &e) + modf(y, &all) + ilogb(y) + logb(y) + nextafter(y, 1.0) + all;
    d[1] = __hiloint2double(__double2hiint(y), __double2loint(y));
}
