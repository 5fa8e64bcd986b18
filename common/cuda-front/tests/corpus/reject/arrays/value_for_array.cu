// An array from one value.
__global__ void k(int *out) {
    int a[3] = 0; // ERROR
    out[0] = a[0];
}
