// The body of the kernel does not end.
__global__ void k(float *out) {
    if (threadIdx.x == 0) {
        out[0] = 1.0f;
    out[1] = 2.0f;
} // ERROR
