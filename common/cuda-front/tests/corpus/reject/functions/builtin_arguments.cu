// A mathematical function with the wrong number of arguments.
__global__ void k(float *out) {
    out[0] = fmaxf(1.0f); // ERROR
}
