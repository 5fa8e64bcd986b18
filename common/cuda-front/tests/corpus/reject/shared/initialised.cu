// A shared variable has no initial value.
__global__ void k(int *out) {
    __shared__ int total = 0; // ERROR
    out[0] = total;
}
