__global__ void k(float4 *out, const float *in) {
    const float *p = (const float *)__builtin_assume_aligned(in, 16);
    out[0] = *(const float4 *)p;
}
