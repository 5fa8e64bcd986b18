__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    flaot x = in[i]; // EXPECT unknown-type
    out[i] = x;
}
