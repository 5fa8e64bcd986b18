// A number from a pointer.
__global__ void k(float *out) {
    float x = out; // ERROR
    out[0] = x;
}
