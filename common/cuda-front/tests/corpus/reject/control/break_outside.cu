// break outside a loop.
__global__ void k(int *out, int n) {
    if (n > 3) break; // ERROR
    out[0] = n;
}
