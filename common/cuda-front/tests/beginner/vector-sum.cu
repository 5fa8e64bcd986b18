__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4(in[i], 0, 0, 0);
    float4 b = a + a; // EXPECT invalid-operands
    out[i] = b.x;
}
