// A local with the name of a parameter.
__global__ void k(int *out, int n) {
    int n = 3; // ERROR
    out[0] = n;
}
