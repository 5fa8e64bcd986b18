__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int m = 1 << 32; // EXPECT shift-count
    if (i < m) out[i] = in[i];
}
