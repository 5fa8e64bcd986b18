// A convolution with its weights in constant memory and a tile with a halo, loaded in several rounds.
#define KERNEL_RADIUS 2
#define KERNEL_WIDTH (2 * KERNEL_RADIUS + 1)
#define OUT_TILE 16
#define IN_TILE (OUT_TILE + 2 * KERNEL_RADIUS)
__constant__ float d_kernel[KERNEL_WIDTH][KERNEL_WIDTH];
__global__ void convolve(const float *in, float *out, int w, int h) {
    __shared__ float s[IN_TILE][IN_TILE];
    int x0 = (int)blockIdx.x * OUT_TILE - KERNEL_RADIUS, y0 = (int)blockIdx.y * OUT_TILE - KERNEL_RADIUS;
    for (int i = threadIdx.y * OUT_TILE + threadIdx.x; i < IN_TILE * IN_TILE; i += OUT_TILE * OUT_TILE) {
        int r = i / IN_TILE, c = i % IN_TILE, gx = x0 + c, gy = y0 + r;
        s[r][c] = (gx >= 0 && gx < w && gy >= 0 && gy < h) ? in[gy * w + gx] : 0.f;
    }
    __syncthreads();
    int x = blockIdx.x * OUT_TILE + threadIdx.x, y = blockIdx.y * OUT_TILE + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int r = 0; r < KERNEL_WIDTH; ++r)
#pragma unroll
        for (int c = 0; c < KERNEL_WIDTH; ++c) sum += d_kernel[r][c] * s[threadIdx.y + r][threadIdx.x + c];
    out[y * w + x] = sum;
}
