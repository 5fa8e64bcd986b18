// A suffix that no number has.
__global__ void k(float *out) {
    out[0] = 1.0x; // ERROR
}
