// out = in transposed, directly from global to global memory.

__global__ void transpose_naive_2d(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[x * height + y] = in[y * width + x];
    }
}

// A thread's row and column come from one index.
__global__ void transpose_naive_1d(const float *in, float *out, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width * height) {
        int row = i / width;
        int column = i % width;
        out[column * height + row] = in[i];
    }
}
