// Shifts, masks, and precedence of bit operators against comparisons.
__global__ void bits(unsigned *out, unsigned x, int s) {
    out[0] = (x >> 3 & 7u) | (x << 5 ^ ~x);
    out[1] = s >> 1;
    out[2] = (x & 1) == 0;
    out[3] = x & x - 1;
    x <<= 2;
    x |= 1;
    x &= 0xff;
    x ^= 0x55;
    x >>= 1;
    out[4] = x;
}
