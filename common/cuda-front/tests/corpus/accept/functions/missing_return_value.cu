// A path without a value: CUDA's compiler warns.
__device__ int f(int x) {
    if (x > 0) return x;
}
__global__ void k(int *out) { out[0] = f(1); }
