// A size that is no integer.
__global__ void k(int *out) {
    int a[2.5]; // ERROR
    out[0] = 1;
}
