__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float tile[256];
    tile[threadIdx.x] = in[i];
    __syncthreads; // EXPECT function-not-called
    out[i] = tile[0];
}
