// Operators from another language.
__global__ void k(float *out, int n) {
    out[0] = n ** 2; // ERROR
}
