// sizeof of types, expressions, arrays and structs; alignof.
struct S {
    char c;
    double d;
    int i;
};
__global__ void sizes(size_t *out, float *p) {
    int a[10];
    a[0] = 1;
    out[0] = sizeof(S);
    out[1] = sizeof a / sizeof *a;
    out[2] = sizeof(p) + sizeof(*p) + sizeof(float4);
    out[3] = alignof(double);
    out[4] = sizeof(long) + sizeof(long long) + sizeof(short) + sizeof(bool) + a[0];
}
