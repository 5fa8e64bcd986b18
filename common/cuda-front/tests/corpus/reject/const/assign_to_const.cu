// A const variable is written.
__global__ void k(int *out) {
    const int n = 3;
    n = 4; // ERROR
    out[0] = n;
}
