// __constant__ is for file scope.
__global__ void k(float *out) {
    __constant__ float w[3]; // ERROR
    out[0] = w[0];
}
