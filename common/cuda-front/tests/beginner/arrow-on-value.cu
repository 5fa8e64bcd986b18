__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = make_float4(0, 0, 0, 0);
    out[i] = v->x; // EXPECT not-a-pointer
}
