// Layers, levels of detail, surfaces.
__global__ void surfaces(cudaSurfaceObject_t s, cudaTextureObject_t t, float *out) {
    int x = threadIdx.x, y = threadIdx.y;
    float v = surf2Dread<float>(s, x * sizeof(float), y);
    surf2Dwrite(v * 2.0f, s, x * sizeof(float), y);
    out[x] = tex2DLod<float>(t, x, y, 1.0f) + tex2DLayered<float>(t, x, y, 0);
}
