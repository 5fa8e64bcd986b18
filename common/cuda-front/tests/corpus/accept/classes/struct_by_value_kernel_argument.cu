// Structs with arrays and methods as arguments of a kernel.
struct Kernel3 {
    float w[3][3];
    int radius;
    __host__ __device__ float at(int r, int c) const { return w[r + radius][c + radius]; }
};
__global__ void convolve(float *out, const float *in, int width, int height, Kernel3 k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    float s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) s += k.at(dy, dx) * in[(y + dy) * width + x + dx];
    out[y * width + x] = s;
}
