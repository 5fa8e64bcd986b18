__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_down(in[i], 16); // EXPECT host-function-call
}
