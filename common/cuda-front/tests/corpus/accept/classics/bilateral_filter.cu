// A filter with weights from tables of constants and of shared memory.
#define R 3
#define SQ(x) ((x) * (x))
__constant__ float spatial[2 * R + 1][2 * R + 1];
__global__ void bilateral(uchar4 *__restrict__ out, const uchar4 *__restrict__ in, int w, int h, float inv) {
    __shared__ float range[256];
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < 256; i += blockDim.x * blockDim.y) range[i] = __expf(-SQ(i) * inv);
    __syncthreads();
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const uchar4 centre = in[y * w + x];
    float3 sum = make_float3(0.f, 0.f, 0.f);
    float norm = 0.f;
    for (int dy = -R; dy <= R; ++dy) {
        const int yy = min(max(y + dy, 0), h - 1);
        for (int dx = -R; dx <= R; ++dx) {
            const uchar4 p = in[yy * w + min(max(x + dx, 0), w - 1)];
            const float g = spatial[dy + R][dx + R] * range[abs(p.x - centre.x)];
            sum.x += g * p.x, sum.y += g * p.y, sum.z += g * p.z;
            norm += g;
        }
    }
    const auto byte = [norm](float v) { return static_cast<unsigned char>(v / norm + 0.5f); };
    out[y * w + x] = make_uchar4(byte(sum.x), byte(sum.y), byte(sum.z), centre.w);
}
