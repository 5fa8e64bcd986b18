// A shared array has no initial values.
__global__ void k(int *out) {
    __shared__ float w[3] = {1, 2, 3}; // ERROR
    out[0] = w[0];
}
