// A pointer to float from a pointer to int.
__global__ void k(float *out, int *in) {
    float *p = in; // ERROR
    out[0] = p[0];
}
