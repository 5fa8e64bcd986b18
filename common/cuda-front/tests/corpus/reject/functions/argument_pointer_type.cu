// A pointer to the wrong type.
__device__ float f(float *x) { return *x; }
__global__ void k(float *out, int *in) {
    out[0] = f(in); // ERROR
}
