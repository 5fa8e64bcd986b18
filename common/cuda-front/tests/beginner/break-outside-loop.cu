__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) break; // EXPECT misplaced-jump
    out[i] = in[i];
}
