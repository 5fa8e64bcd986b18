// f after an integer.
__global__ void k(float *out) {
    out[0] = 1f; // ERROR
}
