// A label that does not exist.
__global__ void k(int *out) {
    if (out[0]) goto missing; // ERROR
    out[0] = 1;
}
