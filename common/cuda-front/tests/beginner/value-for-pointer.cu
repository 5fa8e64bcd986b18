__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *p = in[i]; // EXPECT cannot-convert
    out[i] = *p;
}
