// Constant memory is not written by a kernel.
// NVRTC: accepts (with a warning that the store does not work)
__constant__ float w[4] = {1, 2, 3, 4};
__global__ void k(float *out) {
    w[0] = 2.0f; // ERROR
    out[0] = w[0];
}
