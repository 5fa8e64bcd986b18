__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int i = threadIdx.x; // EXPECT redeclared-name
    out[i] = in[i];
}
