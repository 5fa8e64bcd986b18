__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i & 1 == 0) out[i] = in[i]; // EXPECT bitwise-precedence
}
