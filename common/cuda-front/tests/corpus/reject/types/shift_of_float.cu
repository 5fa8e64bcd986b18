// << of a float.
__global__ void k(float *out, float x) {
    out[0] = x << 2; // ERROR
}
