__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float j = 0.5f * i;
    out[i] = in[j]; // EXPECT invalid-index
}
