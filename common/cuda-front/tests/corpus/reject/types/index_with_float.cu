// A float as an index.
__global__ void k(float *out, float x) {
    out[x] = 1; // ERROR
}
