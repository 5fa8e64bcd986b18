__global__ void k(float *out) {
    int i = blockIdx.x() * blockDim.x + threadIdx.x; // EXPECT not-a-function
    out(i + 1) = 1; // EXPECT not-a-function
    __shared__ float t[4];
    t(i) = 2; // EXPECT not-a-function
}
