// No exceptions in device code.
__global__ void k(float *out, int n) {
    if (n < 0) throw 1; // ERROR
    out[0] = 1;
}
