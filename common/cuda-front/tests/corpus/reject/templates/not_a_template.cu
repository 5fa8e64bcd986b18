// Arguments for what is no template.
__device__ int f(int x) { return x; }
__global__ void k(int *out) {
    out[0] = f<int>(1); // ERROR
}
