__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bins = 10 ^ 3; // EXPECT caret-as-power
    if (i < bins) out[i] = in[i];
}
