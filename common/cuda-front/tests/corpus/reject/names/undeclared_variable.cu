// A name that nothing declares.
__global__ void k(float *out) {
    out[0] = value; // ERROR
}
