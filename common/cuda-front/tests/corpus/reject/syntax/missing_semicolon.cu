// No semicolon after a declaration.
__global__ void k(float *out) {
    float x = 1.0f
    out[0] = x; // ERROR
}
