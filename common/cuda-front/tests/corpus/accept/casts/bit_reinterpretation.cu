// Bits of numbers by intrinsics and by pointers.
__global__ void bits(unsigned *u, float *f, long long *l, double *d) {
    u[0] = __float_as_uint(f[0]);
    u[1] = __float_as_int(f[1]) & 0x7fffffff;
    f[2] = __uint_as_float(u[0] ^ 0x80000000u);
    f[3] = __int_as_float(0x7f800000);
    l[0] = __double_as_longlong(d[0]);
    d[1] = __longlong_as_double(l[0] + 1);
    u[2] = __double2hiint(d[0]);
    u[3] = __double2loint(d[0]);
    d[2] = __hiloint2double(u[2], u[3]);
    u[4] = *(unsigned *)&f[4];
}
