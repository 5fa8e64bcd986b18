// volatile locals, pointers and shared arrays.
__global__ void vol(volatile int *flag, int *out) {
    volatile int x = 1;
    __shared__ volatile float s[32];
    s[threadIdx.x % 32] = x;
    while (flag[0] == 0 && x < 5) x = x + 1;
    flag[1] = 2;
    out[0] = x + s[0];
}
