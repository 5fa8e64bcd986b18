__device__ float f(float a float b) { return a + b; } // EXPECT unexpected-token
__global__ void k(float *out const int n) { // EXPECT unexpected-token
    out[0] = n;
}
