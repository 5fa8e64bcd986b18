__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (n) {
        case 1: out[i] = 1.0f; break;
        case 1: out[i] = 2.0f; break; // EXPECT duplicate-case
    }
}
