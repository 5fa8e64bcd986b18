// A vector has no such member.
__global__ void k(float *out) {
    out[threadIdx.w] = 1; // ERROR
}
