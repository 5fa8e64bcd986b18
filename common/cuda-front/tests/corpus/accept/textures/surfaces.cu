// Surfaces of every shape, each boundary mode, both forms of a read.
__global__ void surfaces(cudaSurfaceObject_t s, float *out, int layer) {
    int x = threadIdx.x * sizeof(float), y = threadIdx.y;
    float v;
    surf2Dread(&v, s, x, y, cudaBoundaryModeClamp);
    float4 wide = surf2Dread<float4>(s, 4 * x, y, cudaBoundaryModeZero);
    v += surf1Dread<float>(s, x) + surf3Dread<float>(s, x, y, layer) + wide.y;
    v += surf1DLayeredread<float>(s, x, layer) + surf2DLayeredread<float>(s, x, y, layer);
    v += surfCubemapread<float>(s, x, y, 3) + surfCubemapLayeredread<float>(s, x, y, 7);
    surf2Dwrite(v, s, x, y, cudaBoundaryModeTrap);
    surf1Dwrite(make_uchar4(1, 2, 3, 4), s, x);
    surf3Dwrite<float>(v, s, x, y, layer);
    surf2DLayeredwrite(v, s, x, y, layer, cudaBoundaryModeZero);
    out[threadIdx.x] = v;
}
