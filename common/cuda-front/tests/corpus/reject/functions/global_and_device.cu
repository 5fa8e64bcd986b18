// A function cannot be both.
__global__ __device__ void k(int *out) { // ERROR
    out[0] = 1;
}
