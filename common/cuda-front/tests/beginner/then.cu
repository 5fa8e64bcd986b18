__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if i < n { // EXPECT missing-condition-paren
        out[i] = in[i];
    }
}
