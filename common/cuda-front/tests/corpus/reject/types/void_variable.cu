// A variable of type void.
__global__ void k(int *out) {
    void x; // ERROR
    out[0] = 1;
}
