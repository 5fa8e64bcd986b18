// Small integers are promoted to int; unsigned wins over signed of the same width.
__global__ void promotions(int *out, unsigned char a, unsigned char b, short s) {
    out[0] = a + b;
    out[1] = a - b;
    unsigned char wrapped = a + b;
    out[2] = wrapped;
    out[3] = -1 < 1u;
    out[4] = s << 2;
    out[5] = ~a;
    a += 300;
    out[6] = a;
}
