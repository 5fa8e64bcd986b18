__global__ void k(float *out, int n) {
    __shared__ float tile[64];
    float *p = &out; // EXPECT cannot-convert
    float *q = &tile; // EXPECT cannot-convert
    int *s = out; // EXPECT cannot-convert
    float **r = out; // EXPECT cannot-convert
    float4 *v = out; // EXPECT cannot-convert
}
