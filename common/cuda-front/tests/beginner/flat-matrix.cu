__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i][0]; // EXPECT not-indexable
}
