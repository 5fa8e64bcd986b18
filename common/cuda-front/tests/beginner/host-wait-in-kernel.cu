__global__ void k(float *out) {
    cudaDeviceSynchronize(); // EXPECT host-function-call
}
