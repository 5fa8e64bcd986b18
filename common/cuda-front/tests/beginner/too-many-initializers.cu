__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[3] = {0.0f, 1.0f, 2.0f, 3.0f}; // EXPECT too-many-initializers
    out[i] = in[i] * v[0];
}
