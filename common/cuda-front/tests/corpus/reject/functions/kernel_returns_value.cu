// A kernel returns void.
__global__ int k(int *out) { // ERROR
    out[0] = 1;
    return 1;
}
