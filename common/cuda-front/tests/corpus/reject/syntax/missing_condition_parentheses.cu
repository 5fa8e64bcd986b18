// if without parentheses.
__global__ void k(float *out, int n) {
    if n > 3 // ERROR
        out[0] = 1.0f;
}
