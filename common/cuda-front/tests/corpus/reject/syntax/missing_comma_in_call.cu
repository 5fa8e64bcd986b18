// Arguments without a comma between them.
__device__ int f(int a, int b) { return a + b; }
__global__ void k(int *out, int n) {
    out[0] = f(n 2); // ERROR
}
