// A product of a pointer.
__global__ void k(float *out) {
    float *p = out * 2; // ERROR
    p[0] = 1;
}
