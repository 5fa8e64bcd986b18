// A function called above its declaration.
__global__ void k(int *out) {
    out[0] = later(1); // ERROR
}
__device__ int later(int x) { return x; }
