__global__ void scale(float *out, const float *in, int n) {
    if (idx < n) out[idx] = in[idx]; // EXPECT undeclared-name
}
