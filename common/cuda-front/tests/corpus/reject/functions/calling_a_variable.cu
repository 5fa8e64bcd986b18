// A number is called.
__global__ void k(int *out, int n) {
    out[0] = n(3); // ERROR
}
