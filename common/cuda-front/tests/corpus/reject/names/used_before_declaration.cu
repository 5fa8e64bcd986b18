// A local used above its declaration.
__global__ void k(int *out) {
    out[0] = total; // ERROR
    int total = 3;
}
