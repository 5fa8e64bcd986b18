__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaMemcpy(out, in, n, cudaMemcpyDeviceToDevice); // EXPECT host-function-call
}
