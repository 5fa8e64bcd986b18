__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 1 / 2 * in[i]; // EXPECT integer-division
}
