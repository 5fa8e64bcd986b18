__global__ void scale(float *out, const float *in, int n) {
    int j = blockIdx.X; // EXPECT no-such-member
    out[j] = in[j];
}
