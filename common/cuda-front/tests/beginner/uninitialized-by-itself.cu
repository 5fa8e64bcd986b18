__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = x + 1.0f; // EXPECT initialized-with-itself
    out[i] = x;
}
