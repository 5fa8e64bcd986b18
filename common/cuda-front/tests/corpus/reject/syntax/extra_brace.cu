// One closing brace too many.
__global__ void k(float *out) {
    out[0] = 1.0f;
}
} // ERROR
