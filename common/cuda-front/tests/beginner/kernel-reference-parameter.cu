__global__ void scale(float *out, int &n) { // EXPECT kernel-reference-parameter
    out[threadIdx.x] = n;
}
