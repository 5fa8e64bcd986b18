// __shared__ misspelled.
__global__ void k(float *out) {
    __share__ float s[32]; // ERROR
    out[0] = 1;
}
