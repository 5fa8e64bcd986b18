// Unions for the bits of a float, named and anonymous.
union Bits {
    float f;
    unsigned u;
    unsigned char b[4];
};
struct Value {
    int kind;
    union {
        int i;
        float f;
    };
};
__global__ void unions(unsigned *out, float x) {
    Bits b;
    b.f = x;
    out[0] = b.u;
    out[1] = b.b[3];
    Value v;
    v.kind = 1;
    v.f = 2.0f;
    out[2] = v.i;
}
