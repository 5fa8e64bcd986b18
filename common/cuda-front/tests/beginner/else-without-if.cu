__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n);
    out[i] = in[i];
    else out[i] = 0.0f; // EXPECT else-without-if
}
