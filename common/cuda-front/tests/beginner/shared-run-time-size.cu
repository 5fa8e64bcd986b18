__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float tile[n]; // EXPECT variable-length-array
    tile[threadIdx.x] = in[i];
    out[i] = tile[0];
}
