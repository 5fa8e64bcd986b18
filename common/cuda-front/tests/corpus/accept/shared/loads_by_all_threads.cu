// The usual loops that fill shared memory, with constants of the function and index lambdas.
__global__ void fill(float *out, const float *__restrict__ in, int w, int h) {
    constexpr int TX = 16, TY = 8, R = 2;
    constexpr int SW = TX + 2 * R, SH = TY + 2 * R;
    __shared__ float tile[SH * SW];
    const int x0 = (int)blockIdx.x * TX - R, y0 = (int)blockIdx.y * TY - R;
    auto clampi = [](int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; };
    auto at = [&](int r, int c) -> float & { return tile[r * SW + c]; };
    for (int i = threadIdx.y * TX + threadIdx.x; i < SW * SH; i += TX * TY) {
        const int r = i / SW, c = i - r * SW;
        at(r, c) = in[clampi(y0 + r, 0, h - 1) * w + clampi(x0 + c, 0, w - 1)];
    }
    __syncthreads();
    float s = 0;
    for (int dy = 0; dy <= 2 * R; ++dy)
        for (int dx = 0; dx <= 2 * R; ++dx) s += at(threadIdx.y + dy, threadIdx.x + dx);
    const int x = x0 + R + threadIdx.x, y = y0 + R + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = s / ((2 * R + 1) * (2 * R + 1));
}
