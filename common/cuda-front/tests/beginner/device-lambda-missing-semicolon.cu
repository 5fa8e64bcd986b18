__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto twice = [](float x) { return 2.0f * x; }
    out[i] = twice(in[i]); // EXPECT missing-semicolon
}
