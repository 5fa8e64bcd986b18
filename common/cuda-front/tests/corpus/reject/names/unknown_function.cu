// A function that does not exist.
__global__ void k(float *out) {
    out[0] = squareroot(2.0f); // ERROR
}
