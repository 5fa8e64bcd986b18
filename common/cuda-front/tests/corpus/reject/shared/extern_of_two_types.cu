// Two dynamic arrays of one name and two types.
__global__ void k1(float *out) {
    extern __shared__ float s[];
    out[0] = s[0];
}
__global__ void k2(int *out) {
    extern __shared__ int s[]; // ERROR
    out[0] = s[0];
}
