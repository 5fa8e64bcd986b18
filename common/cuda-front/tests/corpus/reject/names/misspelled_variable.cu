// A name that differs in case.
__global__ void k(float *out, int count) {
    out[0] = Count; // ERROR
}
