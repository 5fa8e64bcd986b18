// An opening bracket without its partner.
__global__ void k(float *out, int n) {
    out[n + 1 = 2.0f; // ERROR
}
