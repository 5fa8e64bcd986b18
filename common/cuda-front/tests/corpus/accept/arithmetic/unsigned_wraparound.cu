// Unsigned arithmetic wraps; index differences of unsigned built-ins.
__global__ void wrap(unsigned *out) {
    unsigned i = threadIdx.x;
    out[0] = i - 1;
    out[1] = (int)(i - 1) < 0;
    out[2] = 0u - 5u;
    out[3] = 3000000000u * 2;
    unsigned long long big = 1ull << 40;
    out[4] = big >> 38;
}
