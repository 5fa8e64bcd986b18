// and-style blocks without braces but with a colon.
__global__ void k(int *out, int n) {
    if (n > 3): // ERROR
        out[0] = 1;
}
