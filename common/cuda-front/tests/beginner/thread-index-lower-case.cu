__global__ void scale(float *out, const float *in, int n) {
    int j = threadidx.x; // EXPECT undeclared-name
    out[j] = in[j];
}
