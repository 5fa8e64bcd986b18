__device__ float f(float *p, int n) { return p[n]; }
__global__ void k(float *out, int n) {
    __shared__ float t[64];
    out[0] = f(n, out); // EXPECT wrong-argument-type
    out[1] = f(&t, 3); // EXPECT wrong-argument-type
}
