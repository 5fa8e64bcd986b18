__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i = n) return; // EXPECT assignment-in-condition
    out[i] = in[i];
}
