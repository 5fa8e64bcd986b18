// A for whose parts are separated by commas.
__global__ void k(float *out, int n) {
    for (int i = 0, i < n, i++) // ERROR
        out[i] = 1.0f;
}
