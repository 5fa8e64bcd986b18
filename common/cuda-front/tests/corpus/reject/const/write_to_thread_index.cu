// threadIdx is not written.
__global__ void k(int *out) {
    threadIdx.x = 3; // ERROR
    out[0] = 1;
}
