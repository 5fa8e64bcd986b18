// A name that begins with a digit.
__global__ void k(int *out) {
    int 2nd = 3; // ERROR
    out[0] = 1;
}
