__global__ void k(int *out, float4 v) {
    int i = threadIdx; // EXPECT cannot-convert
    float f = v; // EXPECT cannot-convert
    out[i] = f;
}
