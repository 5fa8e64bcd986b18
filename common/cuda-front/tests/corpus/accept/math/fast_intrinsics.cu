// Fast approximations and operations with a rounding mode.
__global__ void fast(float *o, float x, float y) {
    o[0] = __sinf(x) + __cosf(x) + __tanf(x);
    o[1] = __expf(x) + __exp10f(x) + __logf(x) + __log2f(x) + __log10f(x) + __powf(x, y);
    o[2] = __fdividef(x, y) + __frcp_rn(x) + __fsqrt_rn(x) + __frsqrt_rn(x);
    o[3] = __fadd_rn(x, y) + __fmul_rn(x, y) + __fmaf_rn(x, y, 1.0f) + __fsub_rn(x, y) + __fdiv_rn(x, y);
    o[4] = __saturatef(x) + __fmul_rz(x, y);
    __sincosf(x, &o[5], &o[6]);
}
