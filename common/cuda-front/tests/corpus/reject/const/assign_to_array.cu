// An array is assigned as a whole.
__global__ void k(int *out) {
    int a[3] = {1, 2, 3}, b[3];
    b = a; // ERROR
    out[0] = b[0];
}
