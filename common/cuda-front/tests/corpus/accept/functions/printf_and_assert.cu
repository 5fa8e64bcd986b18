// printf with several formats, assert.
#include <assert.h>
#include <stdio.h>
__global__ void report(const float *x, int n) {
    int i = threadIdx.x;
    assert(i < 1024);
    assert(n > 0 && "n is positive");
    if (i == 0) printf("n = %d, x[0] = %f %5.2f %e\n", n, x[0], x[1], x[2]);
    printf("thread %u %s %c %% %x %lld %p\n", threadIdx.x, "text", 'c', 255, 1ll, x);
    if (i == 1) printf("no arguments\n");
}
