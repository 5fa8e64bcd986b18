// A negative size.
__global__ void k(int *out) {
    int a[-3]; // ERROR
    out[0] = 1;
}
