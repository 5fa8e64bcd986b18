__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&in[0], 1.0f); // EXPECT no-matching-function
}
