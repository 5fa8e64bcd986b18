__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *t;
    cudaMalloc(&t, n); // EXPECT host-function-call
    out[i] = t[0];
}
