// No try in device code.
__global__ void k(float *out, int n) {
    try { // ERROR
        out[0] = n;
    } catch (int) {
    }
}
