// A union without a name, whose members are variables of the block.
__global__ void k(float *out) {
    union {
        float4 v;
        float a[4];
    };
    v = make_float4(1, 2, 3, 4);
    out[0] = a[2];
}
