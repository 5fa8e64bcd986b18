// A pointer to const where the function writes.
__device__ void f(float *x) { *x = 1; }
__global__ void k(const float *in) {
    f(in); // ERROR
}
