// A pointer to const is written through.
__global__ void k(const float *in) {
    in[threadIdx.x] = 1.0f; // ERROR
}
