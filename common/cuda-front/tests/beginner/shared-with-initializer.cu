__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float sum = 0.0f; // EXPECT shared-initializer
    out[i] = sum + in[i];
}
