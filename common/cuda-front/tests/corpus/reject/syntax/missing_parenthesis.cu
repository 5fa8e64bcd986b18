// An opening parenthesis without its partner.
__global__ void k(float *out, int n) {
    if ((n > 3) && (n < 9 { // ERROR
        out[0] = 1.0f;
    }
}
