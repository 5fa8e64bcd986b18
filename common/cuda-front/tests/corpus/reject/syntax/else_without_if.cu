// An else that no if owns.
__global__ void k(float *out, int n) {
    out[0] = n;
    else out[0] = 1; // ERROR
}
