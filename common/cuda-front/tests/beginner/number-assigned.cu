__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    5 = n; // EXPECT not-assignable
    out[i] = in[i];
}
