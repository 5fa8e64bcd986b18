// Texture objects: fetches of one, two and three dimensions, of several types.
__global__ void fetch(float *out, cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3, int n) {
    int i = threadIdx.x;
    float a = tex1Dfetch<float>(t1, i);
    float b = tex1D<float>(t1, i + 0.5f);
    float c = tex2D<float>(t2, i + 0.5f, 1.5f);
    float d = tex3D<float>(t3, i, 1, 2);
    float4 e = tex2D<float4>(t2, 0.5f, 0.5f);
    unsigned char f = tex2D<unsigned char>(t2, i, i);
    float g;
    tex2D(&g, t2, 1.0f, 2.0f);
    out[i] = a + b + c + d + e.x + f + g + n;
}
