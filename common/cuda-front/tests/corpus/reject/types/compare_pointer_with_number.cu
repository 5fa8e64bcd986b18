// A pointer compared with a number.
__global__ void k(float *out, int n) {
    if (out == n) out[0] = 1; // ERROR
}
