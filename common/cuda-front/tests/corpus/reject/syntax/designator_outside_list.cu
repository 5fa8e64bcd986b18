__global__ void k(int *out) {
    [0] = 1; // ERROR
}
