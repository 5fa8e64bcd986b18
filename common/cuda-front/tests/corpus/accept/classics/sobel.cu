// Edges of an image of bytes.
__device__ unsigned char clamp_byte(float v) { return v < 0 ? 0 : v > 255 ? 255 : (unsigned char)v; }
__global__ void sobel(unsigned char *out, const unsigned char *in, int w, int h, float scale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
    const unsigned char *up = in + (y - 1) * w + x, *mid = up + w, *down = mid + w;
    int gx = up[1] + 2 * mid[1] + down[1] - up[-1] - 2 * mid[-1] - down[-1];
    int gy = down[-1] + 2 * down[0] + down[1] - up[-1] - 2 * up[0] - up[1];
    out[y * w + x] = clamp_byte(scale * (abs(gx) + abs(gy)));
}
