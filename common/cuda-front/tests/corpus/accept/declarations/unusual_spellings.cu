// unsigned on its own, long int, qualifiers after the type, pointers to const in every order, signed.
__global__ void spellings(unsigned *a, long int *b, unsigned long int *c, long long int *d, unsigned short int e, signed f,
                          short signed int *g, int unsigned *h, float const *const i, char unsigned *j) {
    unsigned const k = 3u;
    int const static_like = -1;
    long double_like = 4L;
    a[0] = k + e + f;
    b[0] = double_like;
    c[0] = d[0] + g[0] + h[0] + i[0] + j[0] + static_like;
}
