// Conversions with rounding.
__global__ void convert(int *i, unsigned *u, float *f, long long *l, double *d) {
    i[0] = __float2int_rn(f[0]);
    i[1] = __float2int_rz(f[0]) + __float2int_ru(f[0]) + __float2int_rd(f[0]);
    u[0] = __float2uint_rn(f[1]);
    f[2] = __int2float_rn(i[0]);
    f[3] = __uint2float_rn(u[0]);
    l[0] = __float2ll_rn(f[0]);
    i[2] = __double2int_rn(d[0]);
    f[4] = __double2float_rn(d[0]);
    f[5] = rintf(f[0]) + lrintf(f[0]) + lroundf(f[1]) + llrintf(f[2]);
}
