// return with a value in a kernel.
__global__ void k(int *out) {
    out[0] = 1;
    return 1; // ERROR
}
