// The address of a value.
__global__ void k(float *out, int a) {
    int *p = &(a + 1); // ERROR
    out[0] = *p;
}
