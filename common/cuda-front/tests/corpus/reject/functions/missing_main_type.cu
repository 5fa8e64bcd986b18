// A kernel without its result type.
__global__ k(int *out) { // ERROR
    out[0] = 1;
}
