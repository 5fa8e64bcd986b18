// Division truncates to zero; the remainder has the sign of the dividend.
__global__ void divide(int *out, int a, int b) {
    out[0] = a / b;
    out[1] = a % b;
    out[2] = -7 / 2;
    out[3] = -7 % 2;
    out[4] = (a + b - 1) / b;
    out[5] = 7u / 2u;
}
