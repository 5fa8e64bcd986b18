// A shuffle without its mask.
__global__ void k(float *out) {
    out[0] = __shfl_down_sync(out[1]); // ERROR
}
