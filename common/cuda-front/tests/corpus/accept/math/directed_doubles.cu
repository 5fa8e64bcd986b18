// Operations of double precision rounded in a direction, and conversions of wide integers.
__global__ void directed(double *out, double a, double b, long long k) {
    double low = __dadd_rd(a, b) + __dsub_rd(a, b) + __dmul_rd(a, b) + __ddiv_rd(a, b) + __fma_rd(a, b, a);
    double high = __dadd_ru(a, b) + __dsub_ru(a, b) + __dmul_ru(a, b) + __ddiv_ru(a, b) + __fma_ru(a, b, a);
    double cut = __dsqrt_rz(a) + __drcp_rz(b) + __ll2double_rz(k) + __ull2double_ru((unsigned long long)k);
    float narrow = __ll2float_ru(k) + __ull2float_rz((unsigned long long)k) + __double2float_rd(a);
    out[threadIdx.x] = low + high + cut + narrow + __fmaf_ieee_rz(1.0f, narrow, 2.0f) + __double2ull_ru(a);
}
