// No semicolon between two statements of a line.
__global__ void k(float *out) {
    float x = 1.0f out[0] = x; // ERROR
}
