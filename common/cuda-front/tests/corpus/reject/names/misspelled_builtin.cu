// threadIdx misspelled.
__global__ void k(float *out) {
    out[threadIdX.x] = 1; // ERROR
}
