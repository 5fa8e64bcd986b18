__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    std::cout << in[i]; // EXPECT host-function-call
}
