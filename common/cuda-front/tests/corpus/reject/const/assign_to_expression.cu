// A sum is assigned to.
__global__ void k(int *out, int n) {
    n + 1 = 3; // ERROR
    out[0] = n;
}
