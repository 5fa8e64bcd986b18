// A pointer that would lose its const.
__global__ void k(float *out, const float *in) {
    float *p = in; // ERROR
    p[0] = out[0];
}
