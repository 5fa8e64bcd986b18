// A kernel is launched, not called, from a kernel.
// NVRTC: accepts (nvcc: a __global__ function call must be configured)
__global__ void f(int *out) { out[0] = 1; }
__global__ void k(int *out) {
    f(out); // ERROR
}
