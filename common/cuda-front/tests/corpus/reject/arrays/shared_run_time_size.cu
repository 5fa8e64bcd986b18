// The size of a shared array from a parameter.
__global__ void k(float *out, int n) {
    __shared__ float s[n]; // ERROR
    out[0] = s[0];
}
