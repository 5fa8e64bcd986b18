// Operations that round toward zero, up, and down.
__global__ void directed(float *o, float x, float y, double d, int i) {
    o[0] = __fadd_rz(x, y) + __fadd_ru(x, y) + __fadd_rd(x, y) + __fsub_rz(x, y);
    o[1] = __fmul_rz(x, y) + __fmul_ru(x, y) + __fmul_rd(x, y) + __fmaf_rz(x, y, 1.0f);
    o[2] = __fdiv_rz(x, y) + __fdiv_ru(x, y) + __frcp_rd(x) + __fsqrt_rz(y);
    o[3] = __double2float_rz(d) + __double2float_ru(d) + __int2float_rd(i) + __uint2float_rz(7u);
}
