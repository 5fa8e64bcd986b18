__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];
    if (i < n) out[i] = vaule; // EXPECT undeclared-name
}
