// A stencil through a texture, with the edge handled by the texture unit.
__global__ void blur(float *out, cudaTextureObject_t tex, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0.0f;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) s += tex2D<float>(tex, x + dx + 0.5f, y + dy + 0.5f);
    out[y * w + x] = s / 9.0f;
}
