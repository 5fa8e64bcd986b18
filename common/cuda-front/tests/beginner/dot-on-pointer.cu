__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 *v = (float4 *)out;
    v.x = in[i]; // EXPECT not-a-class
}
