// A type that does not exist.
__global__ void k(float *out) {
    flaot x = 1; // ERROR
    out[0] = 1;
}
