__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out[0], in[i]); // EXPECT no-matching-function
}
