// Which memory a pointer points into, and functions that only the device's timing knows of.
__global__ void where(unsigned int *out, const float *in) {
    __shared__ float tile[32];
    tile[threadIdx.x] = in[threadIdx.x];
    __nanosleep(40);
    __prof_trigger(1);
    if (in[0] < -1e30f) __brkpt();
    float none = nanf("");
    out[threadIdx.x] = __isShared(tile) + 2 * __isGlobal(in) + 4 * __isConstant(in) + 8 * __isLocal(out) + (none == none);
}
