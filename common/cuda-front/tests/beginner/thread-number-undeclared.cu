__global__ void scale(float *out, const float *in, int n) {
    if (tid < n) out[tid] = in[tid]; // EXPECT undeclared-name
}
