// The barrier misspelled.
__global__ void k(float *out) {
    __syncthread(); // ERROR
    out[0] = 1;
}
