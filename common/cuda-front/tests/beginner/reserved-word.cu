__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int new = i; // EXPECT reserved-word
    out[i] = in[i];
}
