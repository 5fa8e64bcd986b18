// A function defined within another.
__global__ void k(int *out) {
    int f(int x) { return x; } // ERROR
    out[0] = 1;
}
