__global__ void k(float *out, double *d, float x) {
    atomicMax(out, x); // EXPECT no-matching-function
    atomicMin(d, 1.0); // EXPECT no-matching-function
}
