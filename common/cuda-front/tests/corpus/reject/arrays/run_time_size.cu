// The size of a local array from a parameter.
__global__ void k(int *out, int n) {
    int a[n]; // ERROR
    out[0] = a[0];
}
