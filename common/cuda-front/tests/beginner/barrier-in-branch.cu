__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float tile[256];
    tile[threadIdx.x] = in[i];
    if (threadIdx.x < 128) {
        tile[threadIdx.x] += tile[threadIdx.x + 128];
        __syncthreads(); // EXPECT barrier-in-branch
    }
    out[i] = tile[0];
}
