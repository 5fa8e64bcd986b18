// A local array without size or values.
__global__ void k(int *out) {
    int a[]; // ERROR
    out[0] = 1;
}
