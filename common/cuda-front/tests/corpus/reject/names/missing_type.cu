// A declaration without its type.
__global__ void k(float *out) {
    i = threadIdx.x; // ERROR
    out[0] = 1;
}
