__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x = in[i]; // EXPECT undeclared-name
    out[i] = x;
}
