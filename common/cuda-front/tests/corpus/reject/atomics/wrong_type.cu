// No atomicMax for floats.
__global__ void k(float *out) {
    atomicMax(out, 1.0f); // ERROR
}
