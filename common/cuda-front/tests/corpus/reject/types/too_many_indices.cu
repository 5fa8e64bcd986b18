// Two indices for one dimension.
__global__ void k(float *out) {
    out[0][1] = 1; // ERROR
}
