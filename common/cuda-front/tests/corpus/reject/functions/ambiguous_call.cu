// Two overloads fit equally.
__device__ int f(int, float) { return 1; }
__device__ int f(float, int) { return 2; }
__global__ void k(int *out) {
    out[0] = f(1, 2); // ERROR
}
