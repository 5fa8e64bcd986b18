__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    threadIdx.x = 0; // EXPECT assign-to-builtin
    out[i] = in[i];
}
