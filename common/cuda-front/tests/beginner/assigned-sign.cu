__global__ void sum(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int j = 0; j < 4; j++) {
        s =+ in[j] * 2.0f; // EXPECT assigned-sign
    }
    if (i < n) out[i] = s;
    s =-1.0f;
    s = - s;
}
