// A literal is assigned to.
__global__ void k(int *out, int n) {
    3 = n; // ERROR
    out[0] = n;
}
