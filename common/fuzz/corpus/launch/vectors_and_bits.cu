// launch: grid 2 1 1 block 32 1 1 shared 0 n 64
union Bits {
    float f;
    unsigned u;
    unsigned char b[4];
};
__global__ void k(float4 *out, const float2 *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = in[i % n];
    Bits bits;
    bits.f = v.x;
    bits.b[3] ^= 0x80;
    short low = (short)(bits.u >> 3);
    unsigned char byte = (unsigned char)(low * 3);
    long long wide = (long long)i << 33 | byte;
    out[i] = make_float4(bits.f, v.y, (float)(wide >> 30), __int_as_float(__float_as_int(v.x) & ~7));
}
