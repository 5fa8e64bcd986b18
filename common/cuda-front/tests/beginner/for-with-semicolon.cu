__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++); // EXPECT empty-body
    {
        out[i] += in[i];
    }
}
