// The shuffle without _sync is gone.
__global__ void k(float *out) {
    out[0] = __shfl_down(out[1], 1); // ERROR
}
