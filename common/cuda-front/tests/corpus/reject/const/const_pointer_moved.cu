// A const pointer is moved.
__global__ void k(float *const out) {
    out++; // ERROR
}
