// The size of a shared array from blockDim.
__global__ void k(float *out) {
    __shared__ float s[blockDim.x]; // ERROR
    out[0] = s[0];
}
