// printf without a use of its result, with computed strings of formats in several pieces.
#include <cstdio>
__global__ void show(const float *x, const double *d, unsigned long long u, size_t n, bool b, char c, short s) {
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        printf("start\n");
        printf("%f " "%g\n", x[0], d[0]);
        printf("%llu %zu %d %c %hd %5d|%-5d|%05d %+d %%\n", u, n, b, c, s, 1, 2, 3, 4);
        printf("%08x %X %o %#x %p\n", 255u, 255u, 8u, 16u, (const void *)x);
        printf("%s\n", b ? "yes" : "no");
    }
}
