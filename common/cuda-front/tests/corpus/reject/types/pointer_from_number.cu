// A pointer from a number.
__global__ void k(float *out) {
    float *p = 5; // ERROR
    out[0] = p[0];
}
