// A leapfrog step of the wave equation in two dimensions; the next state replaces the last but one. The border is fixed.

__global__ void wave_2d_offset(const float *now, float *other, int nx, int ny, float c) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < nx - 1 && y < ny - 1) {
        int i = y * nx + x;
        float laplace = now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] - 4.0f * now[i];
        other[i] = 2.0f * now[i] - other[i] + c * laplace;
    }
}

// Loops with the grid's stride.
__global__ void wave_2d_stride(const float *now, float *other, int nx, int ny, float c) {
    for (size_t y = blockIdx.y * blockDim.y + threadIdx.y + 1; y < (size_t)ny - 1; y += gridDim.y * blockDim.y) {
        const float *row = now + y * nx;
        const float *above = row - nx;
        const float *below = row + nx;
        for (size_t x = 1 + blockIdx.x * blockDim.x + threadIdx.x; x < (size_t)nx - 1; x += gridDim.x * blockDim.x) {
            float sides = row[x - 1] + row[x + 1] + above[x] + below[x];
            float next = 2.0f * row[x] + c * (sides - 4.0f * row[x]);
            other[y * nx + x] = next - other[y * nx + x];
        }
    }
}
