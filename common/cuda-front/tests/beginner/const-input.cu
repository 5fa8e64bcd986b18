__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    in[i] = out[i]; // EXPECT assign-to-const
}
