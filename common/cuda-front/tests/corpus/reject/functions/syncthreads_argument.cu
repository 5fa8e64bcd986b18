// __syncthreads takes nothing.
__global__ void k(float *out) {
    out[0] = 1;
    __syncthreads(1); // ERROR
}
