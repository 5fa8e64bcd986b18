// More values than elements.
__global__ void k(int *out) {
    int a[2] = {1, 2, 3}; // ERROR
    out[0] = a[0];
}
