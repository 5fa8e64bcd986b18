// A keyword as the name of a variable.
__global__ void k(int *out) {
    int for = 3; // ERROR
    out[0] = 1;
}
