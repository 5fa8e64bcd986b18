// A value where a pointer is expected.
__device__ float f(float *x) { return *x; }
__global__ void k(float *out) {
    out[0] = f(out[0]); // ERROR
}
