// Error codes of the CUDA run-time in device code.
__device__ cudaError_t check(int x) { return x > 0 ? cudaSuccess : cudaErrorInvalidValue; }
__global__ void k(int *out) { if (check(out[0]) != cudaSuccess) out[1] = 1; }
