// * of a number.
__global__ void k(float *out, int n) {
    out[0] = *n; // ERROR
}
