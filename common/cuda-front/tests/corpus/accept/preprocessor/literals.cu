// Literals of every base, with separators and suffixes.
__global__ void literals(long long *out, double *d) {
    out[0] = 0x7F + 0b1011 + 017 + 1'000'000;
    out[1] = 42u + 42l + 42ul + 42ll + 42ull;
    out[2] = 'a' + '\n' + '\x41' + '\0' + '\\';
    out[3] = 0xFFFFFFFFFFFFFFFFull >> 60;
    d[0] = 1. + .5 + 1e-3 + 1.5e+2 + 2.f + 1.0F + 3.0;
    d[1] = 0x1p-3;
}
