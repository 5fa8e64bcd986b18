__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 4; j++) out[j] = in[j];
    out[j] = in[i]; // EXPECT undeclared-name
}
