// A call with too few arguments.
__device__ int f(int a, int b) { return a + b; }
__global__ void k(int *out) {
    out[0] = f(1); // ERROR
}
