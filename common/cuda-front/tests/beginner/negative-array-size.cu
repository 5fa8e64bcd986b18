__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float tile[4 - 8]; // EXPECT invalid-array
    tile[0] = in[i];
    out[i] = tile[0];
}
