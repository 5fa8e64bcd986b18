__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum;
    for (int j = 0; j < n; j++) sum += in[j]; // EXPECT uninitialized-variable
    out[i] = sum;
}
