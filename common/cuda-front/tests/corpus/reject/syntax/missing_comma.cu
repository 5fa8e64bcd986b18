// Parameters without a comma between them.
__global__ void k(float *out int n) { // ERROR
    out[0] = n;
}
