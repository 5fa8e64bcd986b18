// SIMD functions on two halves or four bytes of a word.
__global__ void packed(unsigned int *out, const unsigned int *in) {
    unsigned int a = in[threadIdx.x], b = in[threadIdx.x + 32];
    bool high, low;
    unsigned int sum = __vadd4(a, b) + __vaddus2(a, b) + __vsubss4(a, b) + __vavgs2(a, b) + __vhaddu4(a, b);
    sum += __vabs2(a) + __vabsss4(b) + __vneg4(a) + __vnegss2(b) + __vmaxs4(a, b) + __vminu2(a, b);
    sum += __vcmpgtu2(a, b) + __vcmpeq4(a, b) + __vsetles4(a, b) + __vsetne2(a, b);
    sum += __vabsdiffu4(a, b) + __vsadu4(a, b) + __vsads2(a, b);
    sum += __viaddmax_s16x2_relu(a, b, sum) + __vimax3_u32(a, b, sum) + __vibmin_u16x2(a, b, &high, &low);
    out[threadIdx.x] = sum + (high ? 1 : 0) + (low ? 2 : 0) + __dp2a_lo(a, b, sum) + __fns(a, 0, 3);
}
