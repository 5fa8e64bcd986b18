__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (0 < i < n) out[i] = in[i]; // EXPECT chained-comparison
}
